/** The server instructions for models. */
export const INSTRUCTIONS = `Moonbucket runs Lua scripts in a sandbox and keeps their files in the user's own storage. Files stay between calls; every file gets a link that opens in a browser without a login.

- To work on data, many files or anything with a loop: execute_script. Write large data to files and return a summary; the data need not pass through you.
- One file: file_read, file_write, file_edit, apply_patch. What is there: folder_list, file_find, file_info.
- A report for a person: save_result_page. A link to an existing file or folder: get_file_link. A file that a person or program should send: get_upload_link.

Paths are relative, such as output/rows.csv. Put what a person should open into output/, what the team should see into share/. Give people the short link exactly as it is written, never shortened or retyped.
Long results and logs become files: read the part you need with file_read (offset, length), or go on with a script.`
