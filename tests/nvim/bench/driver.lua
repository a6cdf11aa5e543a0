-- Drives Neovims in terminals: the same keys with and without the plugin, each key timed until the
-- screen shows its effect.
local here = vim.fs.dirname(vim.fs.abspath(debug.getinfo(1, 'S').source:sub(2)))
local scratch = assert(vim.env.BENCH_SCRATCH)
package.path = vim.fs.dirname(here) .. '/?.lua;' .. package.path
local terminal = require('terminal')
local rounds = tonumber(vim.env.BENCH_ROUNDS) or 5

local LINES, HUNKS = 40000, 1000
--- A fast typist's pause between keys, in milliseconds.
local PAUSE_MS = 30

--- Writes the file as the agent left it, and the recorded session that says how.
---@return string root, string trace
local function workspace()
  local root = scratch .. '/ws'
  vim.fn.mkdir(root .. '/.git', 'p')
  local lines = {}
  for number = 1, LINES do
    lines[number] = ('local value_%05d = compute(%d, "line %d")'):format(number, number * 7, number)
  end
  local messages = {
    {
      jsonrpc = '2.0',
      id = 1,
      method = 'session/new',
      params = { cwd = root, mcpServers = vim.empty_dict() },
    },
    { jsonrpc = '2.0', id = 1, result = { sessionId = 'bench' } },
  }
  local step = LINES / HUNKS
  for index = 1, HUNKS do
    local at = (index - 1) * step + step / 2
    local old = lines[at]
    local new = { old:gsub('compute', 'measure'), ('local extra_%d = %d'):format(index, index) }
    messages[#messages + 1] = {
      jsonrpc = '2.0',
      method = 'session/update',
      params = {
        sessionId = 'bench',
        update = {
          sessionUpdate = 'tool_call',
          toolCallId = 'call-' .. index,
          title = 'Edit big.lua',
          kind = 'edit',
          status = 'completed',
          content = {
            {
              type = 'diff',
              path = root .. '/big.lua',
              oldText = old .. '\n' .. lines[at + 1] .. '\n',
              newText = table.concat({ new[1], new[2] }, '\n') .. '\n',
            },
          },
        },
      },
    }
    lines[at], lines[at + 1] = new[1], new[2]
  end
  vim.fn.writefile(lines, root .. '/big.lua')
  local trace = scratch .. '/bench.ndjson'
  vim.fn.writefile(vim.tbl_map(vim.json.encode, messages), trace)
  return root, trace
end

local root, trace = workspace()

--- Starts a Neovim on the file, and says how many milliseconds it took to show it.
---@param kind 'without'|'copy'|'with'
---@return test.Terminal
---@return number
local function start(kind)
  local from = vim.uv.hrtime()
  local neovim = terminal.start({
    cwd = root,
    width = 200,
    height = 50,
    init = ('%s/%s.lua'):format(here, kind),
    arguments = { 'big.lua' },
    env = { 'BENCH_TRACE=' .. trace },
  })
  neovim:call('vim.cmd.redraw()')
  return neovim, (vim.uv.hrtime() - from) / 1e6
end

--- Milliseconds until Neovim answered each key with a drawn screen, added up.
---@param neovim test.Terminal
---@param keys string[]
---@return number
local function press(neovim, keys)
  local total = 0
  for _, key in ipairs(keys) do
    local from = vim.uv.hrtime()
    neovim:input(key)
    neovim:call('vim.cmd.redraw()')
    local took = (vim.uv.hrtime() - from) / 1e6
    total = total + took
    vim.uv.sleep(math.max(0, math.floor(PAUSE_MS - took)))
  end
  return total
end

---@param key string
---@param times integer
---@return string[]
local function times(key, times)
  local keys = {}
  for index = 1, times do
    keys[index] = key
  end
  return keys
end

-- Neovim answers between whole commands only, so each of these is one.
local typed = { '20000G', 'O' }
vim.list_extend(typed, vim.split('if value then return other(value) end -- typed', ''))
vim.list_extend(typed, { '<CR>', 'x', ' ', '=', ' ', '1', '<Esc>', 'dd', 'u', '<C-r>' })

--- In this order: scrolling first, so that typing meets marks that are drawn.
local tasks = {
  { 'scrolling by line', times('<C-e>', 100) },
  { 'scrolling by page', times('<C-f>', 60) },
  { 'typing', typed },
}

local CPU = [[local u = vim.uv.getrusage()
  return (u.utime.sec + u.stime.sec) * 1000 + (u.utime.usec + u.stime.usec) / 1000]]

---@param kind 'without'|'copy'|'with'
---@return table<string, number>
local function round(kind)
  local neovim, opened = start(kind)
  local seen = { ['opening'] = opened }
  if kind == 'with' then
    assert(
      vim.wait(60000, function()
        return neovim:call('return _G.bench_marks()') >= HUNKS
      end, 20),
      'the marks were not drawn'
    )
  end
  vim.uv.sleep(1000)
  seen['cpu: opening'] = neovim:call(CPU)
  for _, task in ipairs(tasks) do
    local before = neovim:call(CPU)
    seen[task[1]] = press(neovim, task[2])
    vim.uv.sleep(1000)
    seen['cpu: ' .. task[1]] = neovim:call(CPU) - before
  end
  neovim:stop()
  return seen
end

---@param values number[]
local function median(values)
  table.sort(values)
  return values[math.ceil(#values / 2)]
end

local function main()
  local seen = {} ---@type table<string, table<string, number[]>>
  for _ = 1, rounds do
    for _, kind in ipairs({ 'without', 'copy', 'with' }) do
      seen[kind] = seen[kind] or {}
      for name, value in pairs(round(kind)) do
        seen[kind][name] = seen[kind][name] or {}
        table.insert(seen[kind][name], value)
      end
    end
  end
  local line = '%-24s %10s %10s %10s %10s %10s\n'
  io.stdout:write(line:format('', 'without', 'copy', 'with', 'with/wo.', 'with/copy'))
  local names = vim.tbl_keys(seen.with)
  table.sort(names)
  for _, name in ipairs(names) do
    local plain, copy = median(seen.without[name]), median(seen.copy[name])
    local with = median(seen.with[name])
    local function ms(value)
      return ('%.1f ms'):format(value)
    end
    local function ratio(value)
      return ('%.2f'):format(value)
    end
    io.stdout:write(
      line:format(name, ms(plain), ms(copy), ms(with), ratio(with / plain), ratio(with / copy))
    )
  end
end

local ok, why = xpcall(main, debug.traceback)
terminal.stop_all()
if not ok then
  io.stderr:write(why, '\n')
end
vim.cmd(ok and 'qall!' or 'cquit 1')
