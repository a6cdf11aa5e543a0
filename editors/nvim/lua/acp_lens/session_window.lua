--- The session window: the timeline of a session, and a prompt below it.
local commands = require('acp_lens.session')
local protocol = require('acp_lens.protocol')
local render = require('acp_lens.render.timeline')

local M = {}

local NAMESPACE = vim.api.nvim_create_namespace('acp_lens_session')

---@class acp_lens.SessionView
---@field session string
---@field buf integer timeline
---@field prompt integer prompt buffer
---@field starts integer[] number of lines before each item
---@field lines acp_lens.TimelineLine[] all lines, as drawn
---@field running boolean a turn ran when they were drawn

---@type table<string, acp_lens.SessionView>
local views = {}

--- Level of a line for folding, used by 'foldexpr' in the timeline window.
---@param lnum integer
---@return string
function M.fold(lnum)
  local view = views[vim.b.acp_lens_session]
  local line = view and view.lines[lnum]
  return line and line.fold and '1' or '0'
end

---@param session string
---@return boolean whether a turn of it runs
local function runs(session)
  local entry = require('acp_lens.store').session(session)
  local state = entry and entry.info.state
  return state == 'prompting' or state == 'loading' or state == 'connecting'
end

---@param view acp_lens.SessionView
---@param first integer first changed item, from 1
local function draw(view, first)
  local timeline = require('acp_lens.store').timeline(view.session)
  if not timeline or not vim.api.nvim_buf_is_valid(view.buf) then
    return
  end
  require('acp_lens.highlight')
  -- Items before the first changed one keep their lines: streaming redraws only its end.
  first = math.max(1, math.min(first, #view.starts + 1))
  local kept = view.starts[first] or #view.lines
  local fresh = {} ---@type acp_lens.TimelineLine[]
  for index = #view.starts, first, -1 do
    view.starts[index] = nil
  end
  view.running = runs(view.session)
  local last_turn = 0 -- the item with the user's words
  for index = #timeline.items, 1, -1 do
    local item = timeline.items[index]
    if item and item.role == 'user' then
      last_turn = index
      break
    end
  end
  for index = first, #timeline.items do
    view.starts[index] = kept + #fresh
    local item = render.item(index, timeline.items[index], {
      live = view.running and index > last_turn,
      files = require('acp_lens.permission').files,
    })
    vim.list_extend(fresh, item)
  end
  local follow = {}
  for _, win in ipairs(vim.fn.win_findbuf(view.buf)) do
    follow[win] = vim.api.nvim_win_get_cursor(win)[1] >= vim.api.nvim_buf_line_count(view.buf)
  end
  -- Equal lines at the seam stay as they are, so that a growing message does not flicker.
  local same = 0
  while view.lines[kept + same + 1] and fresh[same + 1] do
    local old, new = view.lines[kept + same + 1], fresh[same + 1]
    if old.text ~= new.text or not vim.deep_equal(old.spans, new.spans) then
      break
    end
    same = same + 1
  end
  local from = kept + same
  for index = #view.lines, kept + 1, -1 do
    view.lines[index] = nil
  end
  vim.list_extend(view.lines, fresh)
  local lines, texts = view.lines, {} ---@type acp_lens.TimelineLine[], string[]
  for index = from + 1, #lines do
    texts[#texts + 1] = lines[index].text
  end
  vim.bo[view.buf].modifiable = true
  vim.api.nvim_buf_set_lines(view.buf, from, -1, false, texts)
  vim.bo[view.buf].modifiable = false
  vim.bo[view.buf].modified = false
  vim.api.nvim_buf_clear_namespace(view.buf, NAMESPACE, from, -1)
  for index = from + 1, #lines do
    for _, span in ipairs(lines[index].spans) do
      vim.api.nvim_buf_set_extmark(view.buf, NAMESPACE, index - 1, span[1], {
        end_col = span[2],
        hl_group = span[3],
      })
    end
  end
  for win, at_end in pairs(follow) do
    if at_end then
      vim.api.nvim_win_set_cursor(win, { vim.api.nvim_buf_line_count(view.buf), 0 })
    end
  end
end

---@param view acp_lens.SessionView
local function winbar(view)
  local entry = require('acp_lens.store').session(view.session)
  if not entry then
    return
  end
  local info = entry.info
  local state = info.error or (info.state == 'prompting' and 'working' or info.state)
  -- What is too long is cut at its end.
  local text = (' %s   %s'):format(state, require('acp_lens.store').title(info))
  text = text:gsub('%%', '%%%%') .. '%<'
  for _, win in ipairs(vim.fn.win_findbuf(view.buf)) do
    vim.wo[win][0].winbar = text
  end
end

---@param view acp_lens.SessionView
local function close(view)
  for _, buf in ipairs({ view.prompt, view.buf }) do
    for _, win in ipairs(vim.fn.win_findbuf(buf)) do
      require('acp_lens.window').close(win)
    end
  end
end

---@param view acp_lens.SessionView
local function send(view)
  local lines = vim.api.nvim_buf_get_lines(view.prompt, 0, -1, false)
  local text = vim.trim(table.concat(lines, '\n'))
  if text == '' then
    return
  end
  vim.api.nvim_buf_set_lines(view.prompt, 0, -1, false, {})
  vim.bo[view.prompt].modified = false
  commands.send(view.session, text, function()
    -- What could not be sent is not lost.
    if vim.api.nvim_buf_is_valid(view.prompt) then
      vim.api.nvim_buf_set_lines(view.prompt, 0, -1, false, lines)
    end
  end)
end

---@param view acp_lens.SessionView
---@param number integer
local function choose(view, number)
  local question = require('acp_lens.permission').of(view.session)
  local line = view.lines[vim.fn.line('.')]
  question = line and line.question or question
  local option = question and question.options[number]
  if question and option then
    require('acp_lens.permission').choose(question, option.optionId)
  end
end

---@param view acp_lens.SessionView
local function map(view)
  local function key(buf, mode, lhs, run, desc)
    vim.keymap.set(mode, lhs, run, { buffer = buf, nowait = true, desc = desc })
  end
  key(view.buf, 'n', 'q', function()
    close(view)
  end, 'Close the session window')
  key(view.buf, 'n', 'i', function()
    M.focus_prompt(view.session)
  end, 'Write a prompt')
  key(view.buf, 'n', '<CR>', function()
    local line = view.lines[vim.fn.line('.')]
    if line and line.file then
      require('acp_lens.jump').show_line(line.file.uri, line.file.line or 0)
    else
      vim.cmd('silent! normal! za')
    end
  end, 'Open the file, or fold')
  key(view.buf, 'n', '<C-c>', function()
    commands.cancel(view.session)
  end, 'Cancel the turn')
  for number = 1, 9 do
    key(view.buf, 'n', tostring(number), function()
      choose(view, number)
    end, 'Answer ' .. number)
  end
  key(view.prompt, 'n', '<CR>', function()
    send(view)
  end, 'Send the prompt')
  key(view.prompt, { 'n', 'i' }, '<C-s>', function()
    vim.cmd.stopinsert()
    send(view)
  end, 'Send the prompt')
  key(view.prompt, 'n', '<C-c>', function()
    commands.cancel(view.session)
  end, 'Cancel the turn')
  key(view.prompt, 'n', 'q', function()
    close(view)
  end, 'Close the session window')
end

---@param name string
---@param filetype string
---@return integer
local function scratch(name, filetype)
  local buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(buf, name)
  vim.bo[buf].buftype = 'nofile'
  vim.bo[buf].bufhidden = 'hide'
  vim.bo[buf].swapfile = false
  vim.bo[buf].filetype = filetype
  return buf
end

---@param session string
---@return acp_lens.SessionView
local function view_of(session)
  local view = views[session]
  if view and vim.api.nvim_buf_is_valid(view.buf) and vim.api.nvim_buf_is_valid(view.prompt) then
    return view
  end
  for _, name in ipairs({ 'session', 'prompt' }) do
    local stale = vim.fn.bufnr(('^acp-lens://%s/%s$'):format(name, session))
    if stale > 0 then
      vim.api.nvim_buf_delete(stale, { force = true })
    end
  end
  view = {
    session = session,
    buf = scratch('acp-lens://session/' .. session, 'acp-lens-session'),
    prompt = scratch('acp-lens://prompt/' .. session, 'markdown'),
    starts = {},
    lines = {},
    running = false,
  }
  vim.bo[view.buf].modifiable = false
  vim.b[view.buf].acp_lens_session = session
  views[session] = view
  map(view)
  local group = vim.api.nvim_create_augroup('acp_lens_session_' .. session, {})
  vim.api.nvim_create_autocmd('User', {
    group = group,
    pattern = 'AcpLensTimeline',
    callback = function(event)
      if event.data.session == session then
        draw(view, event.data.first)
      end
    end,
  })
  vim.api.nvim_create_autocmd('User', {
    group = group,
    pattern = 'AcpLensUpdate',
    callback = function()
      winbar(view)
      -- What had not ended when the turn did will not go on.
      if view.running ~= runs(view.session) then
        draw(view, 1)
      end
    end,
  })
  vim.api.nvim_create_autocmd('BufWipeout', {
    group = group,
    buffer = view.buf,
    callback = function()
      vim.api.nvim_clear_autocmds({ group = group })
      views[session] = nil
      if vim.api.nvim_buf_is_valid(view.prompt) then
        vim.schedule(function()
          pcall(vim.api.nvim_buf_delete, view.prompt, { force = true })
        end)
      end
    end,
  })
  return view
end

--- Opens the window of a session and follows its timeline.
---@param session string
---@param focus? boolean false leaves the cursor where it is
function M.open(session, focus)
  require('acp_lens.store').choose(session)
  local view = view_of(session)
  local win = vim.fn.win_findbuf(view.buf)[1]
  if win and vim.api.nvim_win_get_tabpage(win) == vim.api.nvim_get_current_tabpage() then
    if focus ~= false then
      vim.api.nvim_set_current_win(win)
    end
  else
    local width = math.max(40, math.floor(vim.o.columns * 0.4))
    win =
      vim.api.nvim_open_win(view.buf, focus ~= false, { split = 'right', win = -1, width = width })
    local wo = vim.wo[win][0]
    wo.number, wo.relativenumber, wo.signcolumn = false, false, 'no'
    wo.wrap, wo.linebreak, wo.breakindent, wo.list, wo.spell = true, true, true, false, false
    wo.foldmethod, wo.foldexpr = 'expr', "v:lua.require'acp_lens.session_window'.fold(v:lnum)"
    wo.foldlevel, wo.foldenable, wo.foldcolumn, wo.foldtext = 0, true, '0', ''
    local entry = require('acp_lens.store').session(session)
    if entry and entry.info.source == 'host' then
      local prompt =
        vim.api.nvim_open_win(view.prompt, false, { split = 'below', win = win, height = 4 })
      local po = vim.wo[prompt][0]
      po.number, po.relativenumber, po.signcolumn, po.wrap = false, false, 'no', true
      po.winfixheight = true
      po.winbar = ' Prompt   <C-s> send   <C-c> cancel'
    end
  end
  winbar(view)
  require('acp_lens.client').request(
    protocol.method.sessionSubscribe,
    { session = session, subscribe = true },
    function(result)
      require('acp_lens.store').on_timeline(result)
      draw(view, 1)
    end
  )
end

---@param session string
function M.focus_prompt(session)
  local view = views[session]
  local win = view and vim.fn.win_findbuf(view.prompt)[1]
  if win then
    vim.api.nvim_set_current_win(win)
    vim.cmd.startinsert({ bang = true })
  end
end

return M
