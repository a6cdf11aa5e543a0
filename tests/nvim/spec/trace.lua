-- A recorded session in a real Neovim: lenses, marks, hover, jumps, lists, diffs, the changes buffer.
local h = require('harness')
local workspace = require('workspace')
local it, eventually, equal = h.it, h.eventually, h.equal

local store = require('acp_lens.store')
local mark_namespace = vim.api.nvim_create_namespace('acp_lens')

local ws = workspace.of_trace('claude-agent-acp-0.101.0-automode')

---@param path string
local function edit(path)
  local name = vim.fs.joinpath(ws.root, path)
  if vim.api.nvim_buf_get_name(0) ~= name then
    vim.cmd.edit(vim.fn.fnameescape(name))
  end
  return vim.api.nvim_get_current_buf()
end

--- Lenses of a buffer as drawn: line from 0 to text.
local function lenses(buf)
  local texts = {}
  for _, mark in
    ipairs(vim.api.nvim_buf_get_extmarks(buf, mark_namespace, 0, -1, { details = true }))
  do
    local chunks = mark[4].virt_text or (mark[4].virt_lines and mark[4].virt_lines[1]) or {}
    local text = ''
    for _, chunk in ipairs(chunks) do
      text = text .. chunk[1]
    end
    if vim.trim(text) ~= '' then
      texts[mark[2]] = vim.trim(text)
    end
  end
  return texts
end

local function shown(buf)
  local lines = {}
  for _, hunk in ipairs(store.hunks(buf) and store.hunks(buf).hunks or {}) do
    if hunk.range then
      lines[#lines + 1] = hunk.range.start.line
    end
  end
  table.sort(lines)
  return lines
end

local calc
it('the server starts with the first file, and the trace opens', function()
  vim.cmd.cd(vim.fn.fnameescape(ws.root))
  calc = edit('src/calc.py')
  eventually('a server', function()
    return require('acp_lens.client').get()
  end)
  require('acp_lens.trace').open(ws.trace)
  eventually('the session', function()
    return #store.sessions() == 1 and next(store.sessions()[1].files)
  end)
end)

it('every mark stands on lines that the agent changed', function()
  eventually('hunks', function()
    return #shown(calc) > 0
  end)
  local changed = workspace.changed_lines(ws.before['src/calc.py'], ws.after['src/calc.py'])
  for _, hunk in ipairs(store.hunks(calc).hunks) do
    if hunk.range and hunk.kind ~= 'deleted' then
      local any = false
      for line = hunk.range.start.line, math.max(hunk.range.start.line, hunk.range['end'].line - 1) do
        any = any or changed[line]
      end
      assert(any, 'hunk at line ' .. hunk.range.start.line .. ' touches no changed line')
    end
  end
  local marks = vim.api.nvim_buf_get_extmarks(calc, mark_namespace, 0, -1, { details = true })
  local signs = vim.tbl_filter(function(mark)
    return mark[4].sign_text ~= nil
  end, marks)
  equal(#shown(calc), #signs, 'one sign per placed hunk')
end)

it('lenses stand at the hunks, with counts, and one for the file', function()
  local texts = eventually('lenses', function()
    local texts = lenses(calc)
    return texts[0] and vim.tbl_count(texts) > 1 and texts
  end)
  assert(texts[0]:match('^Agent: %d+ edits? in %d+ turns?, %+%d+ %-%d+'), texts[0])
  for _, line in ipairs(shown(calc)) do
    assert(texts[line], 'no lens at line ' .. line)
    assert(texts[line]:match('turn %d+: %+%d+ %-%d+'), texts[line])
  end
end)

it('hover shows the diff, the agent and the turn', function()
  vim.api.nvim_win_set_cursor(0, { shown(calc)[1] + 1, 0 })
  require('acp_lens.actions').hover()
  local text = eventually('the hover window', function()
    for _, win in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(win).relative ~= '' then
        return table.concat(
          vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false),
          '\n'
        )
      end
    end
  end)
  assert(text:find('\n%-') and text:find('\n%+'), text)
  assert(text:find('turn'), text)
  vim.cmd('silent! fclose!')
end)

it('typing above a hunk moves its lens and its mark one line down', function()
  local before = shown(calc)[1]
  local text = lenses(calc)[before]
  vim.api.nvim_buf_set_lines(calc, 0, 0, false, { '# a new first line' })
  eventually('the lens one line lower', function()
    -- The hunk stands at another line than the agent said, and its lens adds that.
    return vim.startswith(lenses(calc)[before + 1] or '', text) and not lenses(calc)[before]
  end)
  eventually('the hunk one line lower', function()
    return shown(calc)[1] == before + 1
  end)
  vim.cmd('silent undo')
  eventually('the lens back again', function()
    return lenses(calc)[before] == text
  end)
end)

it('next goes through all files and wraps', function()
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  local seen, steps = {}, 0
  local where
  repeat
    local last = where
    vim.cmd('AcpLens next')
    where = eventually('a jump', function()
      local now = vim.api.nvim_buf_get_name(0) .. ':' .. vim.api.nvim_win_get_cursor(0)[1]
      return now ~= last and now
    end)
    steps = steps + 1
    local again = seen[where]
    seen[where] = true
  until again or steps > 60
  assert(steps > 3 and steps < 60, 'jumps: ' .. steps)
  local files = {}
  for place in pairs(seen) do
    files[place:gsub(':%d+$', '')] = true
  end
  assert(vim.tbl_count(files) > 2, vim.inspect(files))
end)

it('previous goes back', function()
  local here = vim.api.nvim_buf_get_name(0) .. vim.api.nvim_win_get_cursor(0)[1]
  vim.cmd('AcpLens next')
  eventually('away', function()
    return vim.api.nvim_buf_get_name(0) .. vim.api.nvim_win_get_cursor(0)[1] ~= here
  end)
  vim.cmd('AcpLens prev')
  eventually('back', function()
    return vim.api.nvim_buf_get_name(0) .. vim.api.nvim_win_get_cursor(0)[1] == here
  end)
end)

it('the quickfix list has an entry for every hunk', function()
  vim.cmd('AcpLens quickfix')
  local list = eventually('entries', function()
    local list = vim.fn.getqflist({ title = 1, items = 1 })
    return list.title == 'Agent changes' and #list.items > 0 and list
  end)
  for _, item in ipairs(list.items) do
    assert(item.text:match('turn %d+'), item.text)
    if item.valid == 1 then
      assert(item.lnum > 0)
    end
  end
  vim.cmd.cclose()
end)

it('the location list has those of this file', function()
  edit('src/calc.py')
  vim.cmd('AcpLens loclist')
  local items = eventually('entries', function()
    local items = vim.fn.getloclist(0)
    return #items > 0 and items
  end)
  for _, item in ipairs(items) do
    equal(calc, item.bufnr)
  end
  vim.cmd.lclose()
end)

it('a turn by its number goes to the quickfix list', function()
  vim.cmd('AcpLens turn 1')
  eventually('the turn', function()
    return vim.fn.getqflist({ title = 1 }).title == 'Agent changes of turn 1'
  end)
  vim.cmd.cclose()
end)

it('the diff opens in a tab of its own and closes clean', function()
  edit('src/calc.py')
  local buffers = #vim.api.nvim_list_bufs()
  vim.api.nvim_win_set_cursor(0, { shown(calc)[1] + 1, 0 })
  vim.cmd('AcpLens diff session')
  eventually('two windows in diff mode', function()
    local wins = vim.api.nvim_tabpage_list_wins(0)
    return #vim.api.nvim_list_tabpages() == 2
      and #wins == 2
      and vim.wo[wins[1]].diff
      and vim.wo[wins[2]].diff
  end)
  local wins = vim.api.nvim_tabpage_list_wins(0)
  local old =
    table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(wins[1]), 0, -1, false), '\n')
  local new =
    table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(wins[2]), 0, -1, false), '\n')
  assert(old ~= new)
  equal('python', vim.bo[vim.api.nvim_win_get_buf(wins[2])].filetype)
  vim.api.nvim_feedkeys('q', 'xt', false)
  eventually('the tab closed', function()
    return #vim.api.nvim_list_tabpages() == 1
  end)
  eventually('the buffers gone', function()
    return #vim.api.nvim_list_bufs() == buffers
  end)
end)

it('the changes buffer lists turns and files, and opens one at its change', function()
  vim.cmd('AcpLens changes')
  local buf = vim.api.nvim_get_current_buf()
  local lines = eventually('rows', function()
    local lines = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
    return #lines > 3 and lines
  end)
  local row
  for number, line in ipairs(lines) do
    if line:find('calc.py', 1, true) then
      row = number
    end
  end
  assert(row, table.concat(lines, '\n'))
  assert(lines[row]:match('M +%+%d+ +%-%d+  calc%.py  src/$'), lines[row])
  vim.api.nvim_win_set_cursor(0, { row, 0 })
  vim.api.nvim_feedkeys(vim.keycode('<CR>'), 'xt', false)
  eventually('the file at its change', function()
    return vim.api.nvim_get_current_buf() == calc
      and vim.tbl_contains(shown(calc), vim.api.nvim_win_get_cursor(0)[1] - 1)
  end)
  vim.cmd('AcpLens changes')
  vim.api.nvim_feedkeys('f', 'xt', false)
  eventually('rows by file', function()
    return table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), '\n'):find('%-%d+  turn %d')
  end)
  vim.api.nvim_feedkeys('q', 'xt', false)
  eventually('the window closed', function()
    return #vim.fn.win_findbuf(buf) == 0
  end)
end)

it('status variables are set', function()
  edit('src/calc.py')
  local dict = eventually('the status', function()
    return vim.b[calc].acp_lens_status_dict
  end)
  assert(dict.hunks > 0 and dict.added > 0)
  assert(vim.b[calc].acp_lens_status:match('^%+%d+ %-%d+$'))
  assert(require('acp_lens').statusline():match('^%+%d+ %-%d+'))
end)

it('the old text is shown on demand, and hidden again', function()
  vim.cmd('AcpLens deleted')
  eventually('virtual lines', function()
    for _, mark in
      ipairs(vim.api.nvim_buf_get_extmarks(calc, mark_namespace, 0, -1, { details = true }))
    do
      if mark[4].virt_lines then
        return true
      end
    end
  end)
  vim.cmd('AcpLens deleted')
  eventually('no virtual lines', function()
    for _, mark in
      ipairs(vim.api.nvim_buf_get_extmarks(calc, mark_namespace, 0, -1, { details = true }))
    do
      if mark[4].virt_lines then
        return false
      end
    end
    return true
  end)
end)

it('marks can be hidden and shown', function()
  vim.cmd('AcpLens toggle')
  equal(0, #vim.api.nvim_buf_get_extmarks(calc, mark_namespace, 0, -1, {}))
  vim.cmd('AcpLens toggle')
  eventually('marks', function()
    return #vim.api.nvim_buf_get_extmarks(calc, mark_namespace, 0, -1, {}) > 0
  end)
end)

it('vim.lsp.codelens.run knows the lenses', function()
  vim.api.nvim_win_set_cursor(0, { shown(calc)[1] + 1, 0 })
  local offered
  local select = vim.ui.select
  vim.ui.select = function(items, _, choose)
    offered = vim.tbl_map(function(item)
      return item.lens.command.title
    end, items)
    choose(nil)
  end
  vim.lsp.codelens.run()
  vim.ui.select = select
  assert(offered and vim.tbl_contains(offered, 'Show diff'), vim.inspect(offered))
end)

it('a server that dies is started again, and the marks come back', function()
  local client = require('acp_lens.client').get()
  local pid =
    tonumber(vim.fn.system({ 'pgrep', '-P', tostring(vim.fn.getpid()), '-f', 'acp-lens lsp' }))
  assert(pid, 'the server process')
  vim.uv.kill(pid, 'sigkill')
  eventually('another server', function()
    local now = require('acp_lens.client').get()
    return now and now.id ~= client.id and now.initialized
  end)
  require('acp_lens.trace').open(ws.trace)
  eventually('marks', function()
    return #vim.api.nvim_buf_get_extmarks(calc, mark_namespace, 0, -1, {}) > 0
  end)
end)

it('a file without a folder is listed, and takes nothing else with it', function()
  local entry = eventually('the session', function()
    return store.sessions()[1]
  end)
  local known = #store.files(entry)
  local function file(name, uri)
    return {
      session = entry.info.session,
      uri = uri,
      file = { workspaceRoot = ws.root, relativePath = name },
      action = 'modified',
      turns = {},
    }
  end
  store.on_activity({
    -- Later than all that the server has said.
    revision = 1e9,
    reset = false,
    files = {
      file('bare.txt', nil),
      file('other.txt', vim.uri_from_fname(ws.root .. '/other.txt')),
    },
  })
  equal(#store.files(entry), known + 2)
  local listed
  require('acp_lens.list').collect({}, function(items)
    listed = items
  end)
  eventually('the list', function()
    return listed
  end)
  for _, item in ipairs(listed) do
    assert(item.file.uri, 'a file without a folder has no place in a list')
  end
end)

h.finish()
