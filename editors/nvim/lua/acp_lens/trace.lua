--- Recorded sessions.
local protocol = require('acp_lens.protocol')

local M = {}

--- Shows the sessions of a recorded trace.
---@param path string
function M.open(path)
  path = vim.fs.abspath(vim.fs.normalize(path))
  require('acp_lens.client').request(protocol.method.openTrace, {
    path = path,
    root = vim.NIL,
    cwd = vim.NIL,
    profile = 'auto',
  }, function(result)
    local files = 0
    for _, session in ipairs(result.sessions) do
      files = files + session.uniqueFileCount
    end
    if #result.sessions > 0 then
      require('acp_lens.store').choose(result.sessions[#result.sessions].session)
    end
    local message = ('%s, %s'):format(
      protocol.plural(#result.sessions, 'session'),
      protocol.plural(files, 'changed file')
    )
    if result.skippedLines > 0 then
      message = ('%s; %s could not be read'):format(
        message,
        protocol.plural(result.skippedLines, 'line')
      )
    end
    require('acp_lens.log').info(message)
  end)
end

return M
