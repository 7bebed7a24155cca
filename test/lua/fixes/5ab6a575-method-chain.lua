-- right: chunk:5: no such column
-- the usual way to write a chain of calls: one per line
local chain = assert(load([[
local query = ...
return query
  :where("a")
  :order("b")
  :column("c")
  :limit(1)
]], "=chunk"))
local query = {}
function query.where (self) return self end
query.order, query.limit = query.where, query.where
function query.column () error("no such column", 2) end
return (select(2, pcall(chain, query)))
