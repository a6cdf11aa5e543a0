--- acp-lens: shows what coding agents changed, inside the buffers you edit.
---
--- `setup` is optional. Everything works from `:AcpLens` and the <Plug> mappings.
local M = {}

--- Sets options. Faulty ones are named in a message and have their defaults; the others hold.
---@param options? acp_lens.UserConfig
function M.setup(options)
  local faults = require('acp_lens.config').set(options)
  if #faults > 0 then
    require('acp_lens.config').tell(faults)
  end
  if package.loaded['acp_lens.client'] then
    require('acp_lens.client').push_settings()
  end
end

--- For a status line: what agents changed in this buffer, and a sign while one works or asks.
--- Empty when there is nothing to say.
---@param buf? integer
---@return string
function M.statusline(buf)
  if not package.loaded['acp_lens.status'] then
    return ''
  end
  return require('acp_lens.status').line(buf)
end

return M
