-- A language server that takes every text and change and answers nothing but what it must: what any
-- server at all costs Neovim. Run by `nvim -l`.

---@param message table
local function send(message)
  local body = vim.json.encode(message)
  io.stdout:write(('Content-Length: %d\r\n\r\n%s'):format(#body, body))
  io.stdout:flush()
end

while true do
  local length
  for line in io.stdin:lines() do
    line = line:gsub('\r$', '')
    if line == '' then
      break
    end
    length = line:match('^Content%-Length: (%d+)$') or length
  end
  if not length then
    break
  end
  local message = vim.json.decode(io.stdin:read(tonumber(length)))
  if message.method == 'initialize' then
    local sync = { openClose = true, change = vim.lsp.protocol.TextDocumentSyncKind.Incremental }
    local capabilities = { positionEncoding = 'utf-8', textDocumentSync = sync }
    send({ jsonrpc = '2.0', id = message.id, result = { capabilities = capabilities } })
  elseif message.method == 'exit' then
    break
  elseif message.id then
    send({ jsonrpc = '2.0', id = message.id, result = vim.NIL })
  end
end
