--- Showing what the server wants shown, without taking the focus.
local M = {}

--- Answers `window/showDocument`. The server asks on a person's action, or with `follow` on.
---@param params { uri: string, selection: lsp.Range?, takeFocus: boolean? }
---@return boolean
function M.show(params)
  if params.takeFocus then
    return require('acp_lens.jump').show(params.uri, params.selection) or false
  end
  -- Only a window that shows the file already moves, or else one that is not in use and holds
  -- nothing unsaved. What a person looks at or types into stays.
  local current = vim.api.nvim_get_current_win()
  local buf = vim.fn.bufadd(vim.uri_to_fname(params.uri))
  local target
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local shown = vim.api.nvim_win_get_buf(win)
    if shown == buf then
      target = win
      break
    elseif win ~= current and vim.bo[shown].buftype == '' and not vim.bo[shown].modified then
      target = target or win
    end
  end
  if not target or (target == current and vim.api.nvim_get_mode().mode:match('^[iRvV\22]')) then
    return false
  end
  vim.fn.bufload(buf)
  vim.bo[buf].buflisted = true
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
