--- Highlight groups, linked to those that every colour scheme has; yours win.
local M = {}

---@type table<string, string>
M.links = {
  AcpLensAdded = 'Added',
  AcpLensModified = 'Changed',
  AcpLensDeleted = 'Removed',
  AcpLensAddedLine = 'DiffAdd',
  AcpLensModifiedLine = 'DiffChange',
  AcpLensDeletedLine = 'DiffDelete',
  AcpLensLens = 'Comment',
  AcpLensSession = 'Title',
  AcpLensTurn = 'Directory',
  AcpLensFolder = 'Comment',
  AcpLensNotice = 'DiagnosticInfo',
  AcpLensHint = 'Comment',
  AcpLensUser = 'Title',
  AcpLensThought = 'Comment',
  AcpLensTool = 'Function',
  AcpLensRunning = 'DiagnosticInfo',
  AcpLensFailed = 'DiagnosticError',
  AcpLensDone = 'DiagnosticOk',
  AcpLensQuestion = 'DiagnosticWarn',
}

local function define()
  for name, link in pairs(M.links) do
    vim.api.nvim_set_hl(0, name, { link = link, default = true })
  end
end

define()
vim.api.nvim_create_autocmd('ColorScheme', {
  group = vim.api.nvim_create_augroup('acp_lens_highlight', {}),
  callback = define,
})

return M
