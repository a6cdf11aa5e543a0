--- `:AcpLens info`.
local M = {}

---@return string[]
function M.lines()
  local lines = {}
  local client = require('acp_lens.client').get()
  local binary, why = require('acp_lens.binary').find()
  lines[#lines + 1] = 'binary    ' .. (binary or why)
  if client then
    local extension = vim.tbl_get(client.server_capabilities or {}, 'experimental', 'acpLens') or {}
    lines[#lines + 1] = ('server    version %s, protocol %s, process running'):format(
      extension.serverVersion or '?',
      extension.version or '?'
    )
    for _, folder in ipairs(client.workspace_folders or {}) do
      lines[#lines + 1] = 'folder    ' .. vim.uri_to_fname(folder.uri)
    end
  else
    lines[#lines + 1] = 'server    not running; it starts with the first file, or by any subcommand'
  end
  local store = require('acp_lens.store')
  local entries = store.sessions()
  if #entries == 0 then
    lines[#lines + 1] = 'sessions  none'
  end
  for _, entry in ipairs(entries) do
    local info = entry.info
    lines[#lines + 1] = ('session   %s  (%s, %s, profile %s)  %s'):format(
      store.title(info),
      info.source,
      info.state,
      info.profile or '?',
      require('acp_lens.protocol').plural(info.uniqueFileCount, 'file')
    )
  end
  return lines
end

function M.show()
  vim.api.nvim_echo(
    vim.tbl_map(function(line)
      return { line .. '\n' }
    end, M.lines()),
    true,
    {}
  )
end

return M
