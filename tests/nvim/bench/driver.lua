-- Plays a person who types the same keys into a Neovim with and without the plugin.
local here = vim.fs.dirname(vim.fs.abspath(debug.getinfo(1, 'S').source:sub(2)))
local scratch = assert(vim.env.BENCH_SCRATCH)
package.path = here .. '/?.lua;' .. package.path
local person = require('person')
local rounds = tonumber(vim.env.BENCH_ROUNDS) or 5

local LINES, HUNKS = 40000, 1000
--- How long Neovim is left alone before and after a task, in milliseconds: what it puts off counts.
local REST_MS = 1500

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

local typed = { '20000G', 'O' }
vim.list_extend(typed, vim.split('if value then return other(value) end -- typed', ''))
vim.list_extend(typed, { '\r', 'x', ' ', '=', ' ', '1', '\27', 'dd', 'u', '\18' })

--- In this order: scrolling first, so that typing meets marks that are drawn.
local TASKS = {
  { 'scrolling by line', times('\5', 100) },
  { 'scrolling by page', times('\6', 60) },
  { 'going on by page', times('\6', 200) },
  { 'typing', typed },
}

---@alias bench.Kind 'without'|'client'|'with'

---@param kind bench.Kind
---@return table<string, number> milliseconds
local function round(kind)
  local neovim = person.start(
    { vim.v.progpath, '-u', ('%s/%s.lua'):format(here, kind), 'big.lua' },
    root,
    { BENCH_TRACE = trace }
  )
  local seen = { ['opening'] = neovim:sees('value_00048') }
  if kind == 'with' then
    -- The first hunk is on the first screen, and its lens comes last.
    neovim:sees('┃')
    neovim:sees('turn 1')
  end
  neovim:rest(REST_MS)
  seen['cpu: opening'] = neovim:cpu()
  for _, task in ipairs(TASKS) do
    local before = neovim:cpu()
    seen[task[1]] = neovim:press(task[2])
    neovim:rest(REST_MS)
    seen['cpu: ' .. task[1]] = neovim:cpu() - before
  end
  neovim:leave()
  return seen
end

---@param values number[]
local function median(values)
  table.sort(values)
  return values[math.ceil(#values / 2)]
end

local KINDS = { 'without', 'client', 'with' } ---@type bench.Kind[]

local function main()
  local seen = {} ---@type table<bench.Kind, table<string, number[]>>
  for _ = 1, rounds do
    for _, kind in ipairs(KINDS) do
      seen[kind] = seen[kind] or {}
      for name, value in pairs(round(kind)) do
        seen[kind][name] = seen[kind][name] or {}
        table.insert(seen[kind][name], value)
      end
    end
  end
  local line = '%-24s %10s %10s %10s %10s %10s\n'
  io.stdout:write(line:format('', 'without', 'client', 'with', 'with/wo.', 'client/wo.'))
  for name in vim.spairs(seen.with) do
    local plain, client = median(seen.without[name]), median(seen.client[name])
    local with = median(seen.with[name])
    local function ms(value)
      return ('%.1f ms'):format(value)
    end
    local function ratio(value)
      return ('%.2f'):format(value / plain)
    end
    io.stdout:write(line:format(name, ms(plain), ms(client), ms(with), ratio(with), ratio(client)))
  end
end

local ok, why = xpcall(main, debug.traceback)
if not ok then
  io.stderr:write(why, '\n')
end
vim.cmd(ok and 'qall!' or 'cquit 1')
