--- Windows: where a file may be shown, and how one of this plugin is left.
local M = {}

--- Whether a file may be shown in a window without taking anything away.
---@param win integer
---@return boolean
local function takes_files(win)
  local buf = vim.api.nvim_win_get_buf(win)
  return vim.bo[buf].buftype == ''
    and vim.api.nvim_win_get_config(win).relative == ''
    and not vim.wo[win].winfixbuf
    and not vim.wo[win].previewwindow
    and not vim.wo[win].diff
    -- With 'nohidden', unsaved text would have to leave.
    and (vim.o.hidden or not vim.bo[buf].modified)
end

--- The window for a file that a person asked for: the current one, the one before it, any other of
--- this tab page, or a new one. Lists, terminals and diffs keep what they show.
---@return integer
function M.for_file()
  local previous = vim.fn.win_getid(vim.fn.winnr('#'))
  local candidates = { vim.api.nvim_get_current_win(), previous }
  for _, win in ipairs(vim.list_extend(candidates, vim.api.nvim_tabpage_list_wins(0))) do
    if win ~= 0 and takes_files(win) then
      return win
    end
  end
  local buf = vim.api.nvim_create_buf(true, false)
  return vim.api.nvim_open_win(buf, false, { split = 'above', win = -1 })
end

--- The window in which an agent's work may be shown without being asked for: never the current
--- one, never one with unsaved text; rather one that shows the file already.
---@param path string
---@return integer?
function M.for_following(path)
  local current, found = vim.api.nvim_get_current_win(), nil
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local buf = vim.api.nvim_win_get_buf(win)
    if win ~= current and takes_files(win) and not vim.bo[buf].modified then
      if vim.api.nvim_buf_get_name(buf) == path then
        return win
      end
      found = found or win
    end
  end
  return found
end

--- Closes a window; the last one of all shows another buffer instead.
---@param win integer
function M.close(win)
  if not vim.api.nvim_win_is_valid(win) then
    return
  end
  local tab = vim.api.nvim_win_get_tabpage(win)
  local others = false
  for _, other in ipairs(vim.api.nvim_tabpage_list_wins(tab)) do
    others = others or (other ~= win and vim.api.nvim_win_get_config(other).relative == '')
  end
  if others or #vim.api.nvim_list_tabpages() > 1 then
    vim.api.nvim_win_close(win, true)
    return
  end
  local alternate = vim.fn.bufnr('#')
  if alternate < 1 or vim.bo[alternate].buftype ~= '' then
    alternate = vim.api.nvim_create_buf(true, false)
  end
  vim.api.nvim_win_set_buf(win, alternate)
end

return M
