-- Nothing here may be an error: no binary, an old one, odd buffers, buffers that vanish.
local h = require('harness')
local workspace = require('workspace')
local it, eventually, equal = h.it, h.eventually, h.equal

local plugin = vim.fs.normalize(
  vim.fs.dirname(vim.fs.abspath(debug.getinfo(1, 'S').source:sub(2))) .. '/../../../editors/nvim'
)

local root = vim.fs.normalize(vim.fn.tempname())
vim.fn.mkdir(root .. '/.git', 'p')
workspace.write(root .. '/a.txt', 'one\n')
vim.cmd.cd(vim.fn.fnameescape(root))

local real = vim.env.ACP_LENS_BIN

---@param options table
local function setup(options)
  require('acp_lens').setup(options)
end

it('faulty options are named and have their defaults, and the others hold', function()
  setup({ lens = { position = 'left', actions = true }, colour = true, bin = 3, linehl = true })
  assert(h.said('there is no option `colour`'), vim.inspect(h.messages))
  assert(h.said('`bin` must be a string'))
  assert(h.said("'auto', 'above' or 'eol'"))
  local config = require('acp_lens.config')
  local expected = vim.deepcopy(config.defaults)
  expected.lens.actions, expected.linehl = true, true
  equal(expected, config.get())
end)

--- What `:checkhealth` says.
local function health()
  vim.cmd('checkhealth acp_lens')
  local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  vim.cmd('bwipeout!')
  return text
end

it('checkhealth names the faulty options of `setup`', function()
  assert(health():find('there is no option `colour`', 1, true))
  setup({})
  assert(health():find('options are fine', 1, true))
end)

--- Runs a Neovim of its own and returns what it wrote.
---@param plugin string folder of the plugin
---@param before string Lua, before the plugin is loaded
---@param after string Lua
local function fresh(plugin, before, after)
  local command = { vim.v.progpath, '--headless', '--clean' }
  vim.list_extend(command, { '--cmd', 'set runtimepath^=' .. plugin, '--cmd', 'lua ' .. before })
  vim.list_extend(command, { root .. '/a.txt', '-c', 'lua ' .. after, '-c', 'qall!' })
  local result = vim.system(command, { text = true, env = { PATH = '/usr/bin:/bin' } }):wait(20000)
  return result.stdout .. result.stderr
end

it(
  'faulty options of `vim.g.acp_lens` are named with the first file, and in checkhealth',
  function()
    local out = fresh(
      plugin,
      'vim.g.acp_lens = { trce = 1 }; '
        .. 'vim.notify = function(text) io.stdout:write("SAID " .. text .. "\\n") end',
      'vim.wait(200); vim.cmd("checkhealth acp_lens"); '
        .. 'io.stdout:write(table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\\n"))'
    )
    assert(out:find('SAID [^\n]*there is no option `trce`'), out)
    assert(out:find('ERROR there is no option `trce`', 1, true), out)
    assert(not out:find('options are fine', 1, true), out)
  end
)

it('a link to the plugin leads to the builds of its checkout', function()
  local link = root .. '/link'
  assert(vim.uv.fs_symlink(plugin, link))
  local out = fresh(
    link,
    'vim.g.acp_lens_autostart = false',
    'for _, candidate in ipairs(require("acp_lens.binary").candidates()) do '
      .. 'io.stdout:write(candidate.path .. "\\n") end'
  )
  local checkout = vim.fs.dirname(vim.fs.dirname(vim.uv.fs_realpath(plugin)))
  for _, profile in ipairs({ 'release', 'debug' }) do
    assert(out:find(checkout .. '/target/' .. profile .. '/acp-lens', 1, true), out)
  end
end)

it('a word that a subcommand does not take is answered with those that it takes', function()
  h.messages = {}
  vim.cmd('AcpLens diff foo')
  assert(h.said('`diff` takes call, turn or session, not `foo`'), vim.inspect(h.messages))
end)

it('a binary that is missing is said once, with what to do', function()
  h.messages = {}
  setup({ bin = root .. '/missing' })
  vim.cmd.edit('a.txt')
  eventually('the message', function()
    return h.said('cannot be run; correct it or remove it')
  end)
  vim.cmd.edit({ bang = true })
  vim.cmd('AcpLens next')
  vim.cmd('AcpLens quickfix')
  vim.cmd('AcpLens info')
  local count = 0
  for _, message in ipairs(h.messages) do
    count = count + (message.text:find('cannot be run') and 1 or 0)
  end
  assert(count == 1, count)
end)

it('a binary of another protocol version is refused by name', function()
  h.messages = {}
  local old = root .. '/old-acp-lens'
  workspace.write(
    old,
    '#!/usr/bin/env python3\n'
      .. 'import sys, json\n'
      .. 'head = {}\n'
      .. 'for line in iter(sys.stdin.buffer.readline, b"\\r\\n"):\n'
      .. '    k, v = line.decode().split(":"); head[k] = v\n'
      .. 'sys.stdin.buffer.read(int(head["Content-Length"]))\n'
      .. 'body = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"capabilities": {"experimental": {"acpLens": {"version": 0}}}}}).encode()\n'
      .. 'sys.stdout.buffer.write(b"Content-Length: %d\\r\\n\\r\\n" % len(body) + body); sys.stdout.flush()\n'
      .. 'sys.stdin.buffer.read()\n'
  )
  vim.fn.setfperm(old, 'rwxr-xr-x')
  setup({ bin = old })
  require('acp_lens.client').start()
  eventually('the message', function()
    return h.said('speaks protocol version 0, this plugin needs 1')
  end)
  eventually('no server', function()
    return not require('acp_lens.client').get()
  end)
end)

it('the real binary starts after all', function()
  setup({ bin = real })
  require('acp_lens.client').restart()
  eventually('a server', function()
    local client = require('acp_lens.client').get()
    return client and client.initialized
  end)
end)

it('every subcommand is harmless without a session', function()
  h.messages = {}
  local select, input = vim.ui.select, vim.ui.input
  vim.ui.select = function(_, _, choose)
    choose(nil)
  end
  vim.ui.input = function(_, answer)
    answer(nil)
  end
  for _, line in ipairs({
    'changes',
    'diff',
    'diff call',
    'diff session',
    'next',
    'prev',
    'first',
    'last',
    'quickfix',
    'loclist',
    'pick',
    'turn',
    'turn 7',
    'turn x',
    'sessions',
    'trace',
    'cancel',
    'permissions',
    'follow',
    'follow',
    'toggle',
    'toggle',
    'deleted',
    'hover',
    'info',
    'nonsense',
  }) do
    vim.cmd('AcpLens ' .. line)
  end
  vim.wait(300)
  vim.ui.select, vim.ui.input = select, input
  assert(h.said('there is no subcommand `nonsense`'))
  vim.cmd('silent! only')
end)

it('odd buffers are left alone', function()
  for _, command in ipairs({ 'enew', 'help', 'terminal', 'copen', 'new', 'e acp-lens:///none?x' }) do
    vim.cmd('silent! ' .. command)
    for _, line in ipairs({ 'next', 'diff', 'hover', 'loclist', 'deleted' }) do
      vim.cmd('AcpLens ' .. line)
    end
  end
  vim.wait(200)
  vim.cmd('silent! tabonly | silent! only')
end)

it('a buffer may vanish while messages come', function()
  local ws = workspace.of_trace('claude-agent-acp-0.101.0-automode')
  vim.cmd.cd(vim.fn.fnameescape(ws.root))
  require('acp_lens.trace').open(ws.trace)
  for _ = 1, 20 do
    for path in pairs(ws.after) do
      vim.cmd('silent edit ' .. vim.fn.fnameescape(path))
      require('acp_lens.buffer').ask(vim.api.nvim_get_current_buf())
      vim.cmd('silent bwipeout!')
    end
  end
  eventually('the session', function()
    return #require('acp_lens.store').sessions() > 0
  end)
  vim.wait(300)
end)

it('two tabs show the same changes buffer, and a session file can be written', function()
  vim.cmd('AcpLens changes')
  vim.cmd.tabnew()
  vim.cmd('AcpLens changes')
  assert(#vim.fn.win_findbuf(vim.api.nvim_get_current_buf()) == 2)
  vim.cmd('silent! tabonly')
  vim.cmd('mksession! ' .. vim.fn.fnameescape(root .. '/Session.vim'))
  vim.cmd('silent! tabonly | silent! only')
end)

it('a session file opens again in a plain Neovim, lists and diffs and all', function()
  local result = vim
    .system({
      vim.v.progpath,
      '--headless',
      '--clean',
      '--cmd',
      'set runtimepath^=' .. vim.fs.dirname(
        vim.api.nvim_get_runtime_file('lsp/acp_lens.lua', false)[1]
      ) .. '/..',
      '-c',
      'source ' .. vim.fn.fnameescape(root .. '/Session.vim'),
      '-c',
      'AcpLens changes',
      '-c',
      'qall!',
    }, { text = true })
    :wait(20000)
  assert(result.code == 0 and result.stderr:find('Error') == nil, vim.inspect(result))
end)

it('a buffer without a name and one of another kind are never joined', function()
  local client = assert(require('acp_lens.client').get())
  for _, command in ipairs({ 'enew', 'new', 'help', 'copen', 'terminal' }) do
    vim.cmd('silent! ' .. command)
    local buf = vim.api.nvim_get_current_buf()
    vim.api.nvim_exec_autocmds('BufWritePost', { buffer = buf, group = 'acp_lens' })
    vim.wait(50)
    assert(not vim.lsp.buf_is_attached(buf, client.id), command)
    assert(require('acp_lens').statusline(buf) == '', command)
  end
  vim.cmd('silent! tabonly | silent! only')
end)

it('jumps leave lists, terminals and unsaved texts where they are', function()
  vim.cmd('silent! tabonly | silent! only! | enew!')
  vim.cmd('AcpLens changes')
  local list = vim.api.nvim_get_current_win()
  local shown = vim.api.nvim_win_get_buf(list)
  vim.cmd('AcpLens first')
  eventually('the first change', function()
    return vim.bo.buftype == '' and vim.api.nvim_buf_get_name(0) ~= ''
  end)
  assert(vim.api.nvim_win_get_buf(list) == shown)
  vim.api.nvim_set_current_win(list)
  vim.cmd('only')
  vim.api.nvim_feedkeys('q', 'xt', false)
  assert(vim.api.nvim_win_get_buf(0) ~= shown, 'the last window shows something else')
end)

it('the server starts by vim.lsp.enable, too', function()
  local result = vim
    .system({
      vim.v.progpath,
      '--headless',
      '--clean',
      '--cmd',
      'set runtimepath^=' .. vim.fs.dirname(
        vim.api.nvim_get_runtime_file('lsp/acp_lens.lua', false)[1]
      ) .. '/..',
      '--cmd',
      ('lua vim.g.acp_lens_autostart = false; vim.g.acp_lens = { bin = %q }; vim.lsp.enable("acp_lens")'):format(
        real
      ),
      root .. '/a.txt',
      '-c',
      'lua if vim.wait(10000, function() return #vim.lsp.get_clients({ bufnr = 0 }) == 1 end) then vim.cmd("qall!") else vim.cmd("cquit 3") end',
    }, { text = true })
    :wait(20000)
  assert(result.code == 0, vim.inspect(result))
end)

it('checkhealth says that all is well', function()
  vim.cmd('checkhealth acp_lens')
  local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  assert(text:find('acp%-lens 0'), text)
  assert(not text:find('ERROR'), text)
end)

it('no error was shown', function()
  for _, message in ipairs(h.messages) do
    assert(not message.text:find('stack traceback'), message.text)
  end
  assert(vim.v.errmsg == '' or not vim.v.errmsg:find('acp_lens'), vim.v.errmsg)
end)

h.finish()
