--- The changes buffer: sessions, turns and files, with the way to each.
local render = require('acp_lens.render.changes')

local M = {}

local NAME = 'acp-lens://changes'
local NAMESPACE = vim.api.nvim_create_namespace('acp_lens_changes')

---@type { buf: integer?, rows: acp_lens.Row[], mode: 'turn'|'file', session: string? }
local state = { buf = nil, rows = {}, mode = 'turn', session = nil }

--- A function that gives an icon and its group, if a plugin for icons is there.
---@return (fun(name: string): string?, string?)?
local function icons()
  local wanted = require('acp_lens.config').get().icons
  if wanted == false then
    return nil
  end
  local ok, mini = pcall(require, 'mini.icons')
  if ok and _G.MiniIcons then
    return function(name)
      return mini.get('file', name)
    end
  end
  local found, devicons = pcall(require, 'nvim-web-devicons')
  if found then
    return function(name)
      return devicons.get_icon(name, nil, { default = true })
    end
  end
end

---@return { info: acp_lens.Session, turns: acp_lens.Turn[], files: acp_lens.File[] }[]
local function entries()
  local store = require('acp_lens.store')
  return vim.tbl_map(function(entry)
    return { info = entry.info, turns = store.turns(entry), files = store.files(entry) }
  end, store.sessions())
end

--- Level of a row for folding, used by 'foldexpr' in the changes window.
---@param lnum integer from 1
---@return string
function M.fold(lnum)
  local row = state.rows[lnum]
  if not row or row.level == 0 then
    return '0'
  end
  local opens = row.kind == 'session'
    or row.kind == 'turn'
    or (row.kind == 'file' and row.level == 2)
  if opens and row.level < 3 then
    return '>' .. row.level
  end
  return tostring(math.min(row.level - (row.kind == 'notice' and 0 or 1), 2))
end

---@param win integer
---@return integer line from 1
local function cursor_line(win)
  return vim.api.nvim_win_get_cursor(win)[1] --[[@as integer]]
end

--- Writes the rows that differ from those on the screen, and keeps the cursor on its row.
local function draw()
  local buf = state.buf
  -- A list that nobody sees is drawn when it is opened again.
  if not buf or not vim.api.nvim_buf_is_valid(buf) or #vim.fn.win_findbuf(buf) == 0 then
    return
  end
  require('acp_lens.highlight')
  local before = state.rows
  local rows = render.rows(entries(), {
    mode = state.mode,
    session = state.session,
    icon = icons(),
  })
  local views = {}
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    local row = before[cursor_line(win)]
    views[win] = row and row.key or false
  end
  local function same(a, b)
    return before[a].text == rows[b].text and vim.deep_equal(before[a].spans, rows[b].spans)
  end
  local first, last_before, last = 1, #before, #rows
  while first <= last_before and first <= last and same(first, first) do
    first = first + 1
  end
  while last_before >= first and last >= first and same(last_before, last) do
    last_before, last = last_before - 1, last - 1
  end
  state.rows = rows
  vim.bo[buf].modifiable = true
  local lines = {}
  for index = first, last do
    lines[#lines + 1] = assert(rows[index]).text
  end
  local drawn_before = #before == 0 and vim.api.nvim_buf_line_count(buf) or last_before
  vim.api.nvim_buf_set_lines(buf, first - 1, drawn_before, false, lines)
  vim.bo[buf].modifiable = false
  vim.bo[buf].modified = false
  vim.api.nvim_buf_clear_namespace(buf, NAMESPACE, first - 1, last)
  for index = first, last do
    for _, span in ipairs(assert(rows[index]).spans) do
      vim.api.nvim_buf_set_extmark(buf, NAMESPACE, index - 1, span[1], {
        end_col = span[2],
        hl_group = span[3],
      })
    end
  end
  for win, key in pairs(views) do
    if key then
      for index, row in ipairs(rows) do
        if row.key == key then
          vim.api.nvim_win_set_cursor(win, { index, 0 })
          break
        end
      end
    end
  end
end

---@return acp_lens.Row?
local function here()
  return state.rows[cursor_line(0)]
end

--- Opens the file of the row at its first change of that turn.
---@param stay boolean keep the cursor in the list
local function open_row(stay)
  local row = here()
  if not row then
    return
  end
  if not row.file or not row.session then
    vim.cmd('silent! normal! za')
    return
  end
  if row.file.action == 'deleted' then
    require('acp_lens.diff').open(
      row.session,
      row.file.file.relativePath,
      row.turn and { kind = 'turn', turn = row.turn } or { kind = 'session' }
    )
    return
  end
  local uri = row.file.uri
  if not uri then
    require('acp_lens.log').warn(
      ('the agent did not say in which folder %s is; `d` shows its diff'):format(
        row.file.file.relativePath
      )
    )
    return
  end
  local list = vim.api.nvim_get_current_win()
  require('acp_lens.client').request(
    require('acp_lens.protocol').method.goTo,
    { direction = 'first', scope = 'file', uri = uri, session = row.session, turn = row.turn },
    function(result)
      require('acp_lens.jump').show(uri, result and result.range or nil)
      if stay and vim.api.nvim_win_is_valid(list) then
        vim.api.nvim_set_current_win(list)
      end
    end
  )
end

local function diff_row()
  local row = here()
  if row and row.file and row.session then
    require('acp_lens.diff').open(
      row.session,
      row.file.file.relativePath,
      row.turn and { kind = 'turn', turn = row.turn } or { kind = 'session' }
    )
  end
end

local HELP = {
  { '<CR>', 'open the file at the change, or fold' },
  { 'o', 'open it, and stay here' },
  { 'd', 'show the diff' },
  { 'f', 'fold by turn or by file' },
  { 's', 'this session alone, or all' },
  { 't', 'changes of this turn to the quickfix list' },
  { 'R', 'draw afresh' },
  { 'q', 'close' },
  { '?', 'this help' },
}

local function help()
  local lines = vim.tbl_map(function(entry)
    return (' %-5s %s '):format(entry[1], entry[2])
  end, HELP)
  local buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].bufhidden = 'wipe'
  vim.bo[buf].modifiable = false
  local width = 0
  for _, line in ipairs(lines) do
    width = math.max(width, vim.fn.strdisplaywidth(line))
  end
  -- The border and the command line take their lines; what is cut off is said and scrolled to.
  local height = math.max(1, math.min(#lines, vim.o.lines - vim.o.cmdheight - 2))
  local win = vim.api.nvim_open_win(buf, true, {
    relative = 'editor',
    style = 'minimal',
    width = width,
    height = height,
    row = math.max(0, math.floor((vim.o.lines - height) / 2) - 1),
    col = math.max(0, math.floor((vim.o.columns - width) / 2) - 1),
    border = (vim.o.winborder ~= '' and vim.o.winborder or 'rounded') --[[@as any]],
    title = ' Changes ',
    footer = height < #lines and ' more below ' or nil,
  })
  local function close()
    if vim.api.nvim_win_is_valid(win) then
      vim.api.nvim_win_close(win, true)
    end
  end
  for _, lhs in ipairs({ 'q', '?', '<Esc>' }) do
    vim.keymap.set('n', lhs, close, { buffer = buf, nowait = true, desc = 'Close this help' })
  end
  vim.api.nvim_create_autocmd('WinLeave', { buffer = buf, once = true, callback = close })
end

---@param buf integer
local function map(buf)
  local function key(lhs, run, desc)
    vim.keymap.set('n', lhs, run, { buffer = buf, nowait = true, desc = desc })
  end
  key('<CR>', function()
    open_row(false)
  end, 'Open at the change')
  key('o', function()
    open_row(true)
  end, 'Open and stay')
  key('d', diff_row, 'Show the diff')
  key('q', function()
    require('acp_lens.window').close(vim.api.nvim_get_current_win())
  end, 'Close')
  key('f', function()
    state.mode = state.mode == 'turn' and 'file' or 'turn'
    draw()
  end, 'Fold by turn or by file')
  key('s', function()
    local row = here()
    state.session = not state.session and row and row.session or nil
    draw()
  end, 'This session alone')
  key('t', function()
    local row = here()
    if row and row.session then
      require('acp_lens.list').quickfix({ session = row.session, turn = row.turn })
    end
  end, 'This turn to the quickfix list')
  key('R', draw, 'Draw afresh')
  key('?', help, 'Help')
end

---@return integer
local function buffer()
  if state.buf and vim.api.nvim_buf_is_valid(state.buf) then
    return state.buf
  end
  -- A session file (:mksession) may have brought back an empty one.
  local buf = vim.fn.bufnr('^' .. NAME .. '$')
  if buf < 1 then
    buf = vim.api.nvim_create_buf(false, true)
    vim.api.nvim_buf_set_name(buf, NAME)
  end
  state.buf = buf
  state.rows = {}
  vim.bo[buf].buftype = 'nofile'
  vim.bo[buf].bufhidden = 'hide'
  vim.bo[buf].swapfile = false
  vim.bo[buf].filetype = 'acp-lens-changes'
  map(buf)
  local group = vim.api.nvim_create_augroup('acp_lens_changes', {})
  vim.api.nvim_create_autocmd('User', { group = group, pattern = 'AcpLensUpdate', callback = draw })
  vim.api.nvim_create_autocmd('BufWipeout', {
    group = group,
    buffer = buf,
    callback = function()
      vim.api.nvim_clear_autocmds({ group = group })
      state.buf, state.rows = nil, {}
    end,
  })
  return buf
end

--- Opens the changes buffer, or goes to its window.
---@param options? { session?: string, turn?: string, mode?: 'turn'|'file' }
function M.open(options)
  options = options or {}
  require('acp_lens.client').start()
  state.mode = options.mode or state.mode
  local buf = buffer()
  local win = vim.fn.win_findbuf(buf)[1]
  if win and vim.api.nvim_win_get_tabpage(win) == vim.api.nvim_get_current_tabpage() then
    vim.api.nvim_set_current_win(win)
  else
    local height = math.max(8, math.floor(vim.o.lines * 0.3))
    win = vim.api.nvim_open_win(buf, true, { split = 'below', win = -1, height = height })
    local wo = vim.wo[win][0]
    wo.number, wo.relativenumber, wo.signcolumn = false, false, 'no'
    wo.wrap, wo.list, wo.spell, wo.cursorline = false, false, false, true
    wo.foldmethod, wo.foldexpr = 'expr', "v:lua.require'acp_lens.changes'.fold(v:lnum)"
    wo.foldlevel, wo.foldenable, wo.foldcolumn = 99, true, '0'
    wo.foldtext = ''
    wo.winfixheight = true
    vim.wo[win][0].winbar = ' Agent changes   <CR> open   d diff   f by file   ? help'
  end
  draw()
  if options.turn then
    for index, row in ipairs(state.rows) do
      if row.turn == options.turn and row.session == options.session then
        vim.api.nvim_win_set_cursor(win, { index, 0 })
        break
      end
    end
  end
end

return M
