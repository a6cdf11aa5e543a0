--- Showing what the server wants shown, without taking the focus.
local M = {}

--- Answers `window/showDocument`. The server asks on a person's action, or with `follow` on.
---@param params { uri: string, selection: lsp.Range?, takeFocus: boolean? }
---@return boolean
function M.show(params)
  local jump = require('acp_lens.jump')
  if params.takeFocus then
    return jump.show(params.uri, params.selection)
  end
  local path = vim.uri_to_fname(params.uri)
  local target = require('acp_lens.window').for_following(path)
  local buf = target and jump.load(path)
  if not target or not buf then
    return false
  end
  if vim.api.nvim_win_get_buf(target) ~= buf then
    vim.api.nvim_win_set_buf(target, buf)
  end
  if params.selection then
    local line = math.min(params.selection.start.line + 1, vim.api.nvim_buf_line_count(buf))
    vim.api.nvim_win_set_cursor(target, { line, 0 })
  end
  return true
end

--- Turns following on or off.
function M.toggle()
  local config = require('acp_lens.config').get()
  config.follow = not config.follow
  require('acp_lens.client').push_settings()
  require('acp_lens.log').info(config.follow and 'following the agent' or 'not following the agent')
end

return M
