-- A live session with the demo agent: prompt, question, lenses while it works, switch, crash, load.
local h = require('harness')
local workspace = require('workspace')
local it, eventually, equal = h.it, h.eventually, h.equal

local store = require('acp_lens.store')
local mark_namespace = vim.api.nvim_create_namespace('acp_lens')

local root = workspace.of_demo()
vim.cmd.cd(vim.fn.fnameescape(root))
vim.cmd.edit('receipt.py')
local receipt = vim.api.nvim_get_current_buf()
local code = vim.api.nvim_get_current_win()

local turns_ended = {}
vim.api.nvim_create_autocmd('User', {
  pattern = 'AcpLensTurnEnd',
  callback = function(event)
    table.insert(turns_ended, event.data)
  end,
})

local function marks()
  return #vim.api.nvim_buf_get_extmarks(receipt, mark_namespace, 0, -1, {})
end

local function timeline_text(session)
  local buf = vim.fn.bufnr(('^acp-lens://session/%s$'):format(session))
  return buf > 0 and table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), '\n') or ''
end

local first
it('a session starts with the demo agent, and its window opens', function()
  vim.cmd('AcpLens start demo')
  first = eventually('the session', function()
    local entry = store.current_host()
    return entry and entry.info.state == 'idle' and entry.info.session
  end)
  eventually('its window', function()
    return vim.fn.bufwinnr(('^acp-lens://session/%s$'):format(first)) > 0
      and vim.fn.bufwinnr(('^acp-lens://prompt/%s$'):format(first)) > 0
  end)
end)

it('a prompt runs, its messages stream into the window, and the buffer is reread', function()
  vim.cmd('AcpLens prompt Give a discount')
  eventually('the timeline', function()
    local text = timeline_text(first)
    return text:find('> Give a discount', 1, true) and text:find('receipt.py', 1, true)
  end)
  eventually('the end of the turn', function()
    return #turns_ended == 1 and turns_ended[1].stopReason == 'end_turn'
  end, 60000)
  eventually('the new text in the clean buffer', function()
    return table
      .concat(vim.api.nvim_buf_get_lines(receipt, 0, -1, false), '\n')
      :find('import discount')
  end)
  eventually('marks', function()
    return marks() > 0
  end)
  assert(not vim.bo[receipt].modified)
end)

it('nothing took the focus from where the person was', function()
  vim.api.nvim_set_current_win(code)
  equal(receipt, vim.api.nvim_win_get_buf(code))
end)

it('a question waits, and is answered by choice', function()
  vim.cmd('AcpLens prompt Go on')
  eventually('the question', function()
    return require('acp_lens.permission').count() == 1
  end, 60000)
  assert(h.said('what the agent asks'), vim.inspect(h.messages))
  assert(require('acp_lens').statusline():find('asks'))
  eventually('the question in the window', function()
    return timeline_text(first):find('\n  ? ', 1, true)
  end)
  eventually('its files, each with what is to happen to it', function()
    local text = timeline_text(first)
    return text:find('\n    D notes/prices-2019.txt\n', 1, true)
      and text:find('\n    A test_discount.py\n', 1, true)
  end)
  local select = vim.ui.select
  local prompt
  vim.ui.select = function(items, options, choose)
    prompt = options.prompt
    for _, item in ipairs(items) do
      if item.kind == 'allow_once' then
        choose(item)
        return
      end
    end
  end
  vim.cmd('AcpLens permissions')
  vim.ui.select = select
  assert(prompt:find('D notes/prices-2019.txt', 1, true), prompt)
  eventually('the end of the turn', function()
    return #turns_ended == 2
  end, 60000)
  equal(0, require('acp_lens.permission').count())
end)

it('next goes across the files that the agent changed', function()
  vim.api.nvim_set_current_win(code)
  vim.api.nvim_win_set_cursor(code, { 1, 0 })
  local files = {}
  for _ = 1, 8 do
    local before = vim.api.nvim_buf_get_name(0) .. ':' .. vim.api.nvim_win_get_cursor(0)[1]
    vim.cmd('AcpLens next')
    eventually('a jump', function()
      return vim.api.nvim_buf_get_name(0) .. ':' .. vim.api.nvim_win_get_cursor(0)[1] ~= before
    end)
    files[vim.fs.basename(vim.api.nvim_buf_get_name(0))] = true
  end
  assert(vim.tbl_count(files) > 1, vim.inspect(files))
end)

it('unsaved work is never overwritten', function()
  vim.api.nvim_set_current_win(code)
  vim.api.nvim_win_set_buf(code, receipt)
  vim.api.nvim_buf_set_lines(receipt, 0, 0, false, { '# mine' })
  local file = assert(vim.iter(store.files(store.session(first))):find(function(file)
    return file.file.relativePath == 'receipt.py'
  end))
  h.messages = {}
  require('acp_lens.disk').changed(file)
  assert(h.said('unsaved changes and is left alone'))
  equal('# mine', vim.api.nvim_buf_get_lines(receipt, 0, 1, false)[1])
  vim.cmd('silent undo')
end)

it('an agent that only plays a script is not offered, nor started without its name', function()
  local before = #store.sessions()
  local method = require('acp_lens.protocol').method.agents
  local agents =
    assert(require('acp_lens.client').get():request_sync(method, vim.empty_dict())).result.agents
  assert(vim.iter(agents):any(function(agent)
    return agent.name == 'demo' and agent.origin == 'builtin'
  end))
  equal({}, vim.fn.getcompletion('AcpLens start de', 'cmdline'))
  h.messages = {}
  local offered
  local select = vim.ui.select
  vim.ui.select = function(items)
    offered = items
  end
  -- Agents that this machine has are another matter.
  local others = #vim.tbl_filter(function(agent)
    return agent.origin ~= 'builtin'
  end, agents)
  if others == 0 then
    for _, line in ipairs({ 'start', 'load' }) do
      h.messages = {}
      vim.cmd('AcpLens ' .. line)
      eventually('the advice', function()
        return h.said('put one on your PATH') and h.said(':AcpLens start demo')
      end)
    end
  end
  vim.ui.select = select
  equal(nil, offered)
  equal(before, #store.sessions())
end)

local second
it('another session runs beside it, and one can switch', function()
  vim.cmd('AcpLens start demo')
  second = eventually('the second session', function()
    local entry = store.current_host()
    return entry
      and entry.info.session ~= first
      and entry.info.state == 'idle'
      and entry.info.session
  end)
  local select = vim.ui.select
  vim.ui.select = function(items, _, choose)
    for _, item in ipairs(items) do
      if item.info.session == first then
        choose(item)
      end
    end
  end
  vim.cmd('AcpLens sessions')
  vim.ui.select = select
  eventually('the first one current again', function()
    return store.current().info.session == first
  end)
end)

it('a cancelled turn is said so, and its call does not go on running', function()
  local view = function()
    return timeline_text(second)
  end
  require('acp_lens.session_window').open(second, false)
  for number, prompt in ipairs({ 'Once more', 'And on' }) do
    turns_ended = {}
    require('acp_lens.session').send(second, prompt)
    if number == 1 then
      eventually('the end of the turn', function()
        return #turns_ended == 1
      end, 60000)
    end
  end
  eventually('the question', function()
    return view():find('… apply_patch\n', 1, true) and require('acp_lens.permission').count() == 1
  end, 60000)
  h.messages = {}
  require('acp_lens.session').cancel(second)
  eventually('the end of the turn', function()
    return #turns_ended == 1 and h.said('the turn was cancelled')
  end)
  eventually('no call that runs', function()
    return not view():find('…', 1, true)
  end)
  store.choose(first)
end)

it('an earlier session is loaded again, with its changes', function()
  local generation = store.session(first).info.generation
  local id = store.session(first).info.sessionId
  local files = #store.files(store.session(first))
  local select = vim.ui.select
  vim.ui.select = function(items, _, choose)
    for _, item in ipairs(items) do
      if item.sessionId == id then
        choose(item)
      end
    end
  end
  vim.cmd('AcpLens load demo')
  eventually('the session anew', function()
    local entry = store.session(first)
    return entry
      and entry.info.generation > generation
      and entry.info.state == 'idle'
      and #store.files(entry) == files
  end, 30000)
  vim.ui.select = select
end)

it('an agent that dies is said, and the changes stay', function()
  local files = #store.files(store.session(first))
  -- The server is a child of this Neovim; its agents are the children of the server.
  for _, server in ipairs(vim.api.nvim_get_proc_children(vim.fn.getpid())) do
    vim.fn.system({ 'pkill', '-KILL', '-P', tostring(server) })
  end
  eventually('disconnected', function()
    local entry = store.session(first)
    return entry and entry.info.state == 'disconnected'
  end)
  equal(files, #store.files(store.session(first)))
end)

h.finish()
