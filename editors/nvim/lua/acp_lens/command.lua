--- `:AcpLens`: the subcommands and their completion.
local M = {}

---@class acp_lens.Call
---@field arguments string[]
---@field rest string everything after the subcommand
---@field count integer

---@class acp_lens.Subcommand
---@field desc string
---@field run fun(call: acp_lens.Call)
---@field words? string[] the only words that may follow; they are completed
---@field complete? fun(lead: string): string[]

---@param words string[]
---@return fun(lead: string): string[]
local function among(words)
  return function(lead)
    return vim.tbl_filter(function(word)
      return vim.startswith(word, lead)
    end, words)
  end
end

--- `call, turn or session`
---@param words string[]
---@return string
local function alternatives(words)
  if #words == 1 then
    return words[1] --[[@as string]]
  end
  return table.concat(words, ', ', 1, #words - 1) .. ' or ' .. words[#words]
end

---@param direction 'next'|'previous'|'first'|'last'
---@return fun(call: acp_lens.Call)
local function go(direction)
  return function(call)
    require('acp_lens.jump').go(direction, {
      scope = call.arguments[1] == 'file' and 'file' or 'all',
      count = call.count,
    })
  end
end

--- Agents of the option, and those that the server found, when it runs.
---@param lead string
---@return string[]
local function agent_names(lead)
  local names = {}
  for name in pairs(require('acp_lens.config').get().agents) do
    names[name] = true
  end
  local client = require('acp_lens.client').get()
  if client and client.initialized then
    local method = require('acp_lens.protocol').method.agents
    local answer = client:request_sync(method, vim.empty_dict(), 500)
    for _, agent in ipairs(vim.tbl_get(answer or {}, 'result', 'agents') or {}) do
      -- The built-in agent fits the demo's project alone, and is started by its whole name.
      if agent.origin ~= 'builtin' then
        names[agent.name] = true
      end
    end
  end
  local sorted = vim.tbl_keys(names)
  table.sort(sorted)
  return among(sorted)(lead)
end

---@type table<string, acp_lens.Subcommand>
M.subcommands = {
  changes = {
    desc = 'the list of sessions, turns and files (by `turn` or by `file`)',
    run = function(call)
      require('acp_lens.changes').open({
        mode = call.arguments[1] --[[@as 'turn'|'file'|nil]],
      })
    end,
    words = { 'turn', 'file' },
  },
  diff = {
    desc = 'the diff at the cursor, of its call, turn or session',
    run = function(call)
      require('acp_lens.diff').at_cursor(call.arguments[1] --[[@as 'call'|'turn'|'session'|nil]])
    end,
    words = { 'call', 'turn', 'session' },
  },
  next = { desc = 'go to the next change', run = go('next'), words = { 'file' } },
  prev = { desc = 'go to the previous change', run = go('previous'), words = { 'file' } },
  first = { desc = 'go to the first change', run = go('first'), words = { 'file' } },
  last = { desc = 'go to the last change', run = go('last'), words = { 'file' } },
  quickfix = {
    desc = 'all changes to the quickfix list',
    run = function()
      require('acp_lens.list').quickfix()
    end,
  },
  loclist = {
    desc = "this file's changes to the location list",
    run = function()
      require('acp_lens.list').loclist()
    end,
  },
  pick = {
    desc = 'choose a change',
    run = function(call)
      require('acp_lens.pick').pick(
        call.arguments[1] --[[@as 'select'|'snacks'|'telescope'|'fzf-lua'|nil]]
      )
    end,
    words = { 'select', 'snacks', 'telescope', 'fzf-lua' },
  },
  turn = {
    desc = 'the changes of a turn to the quickfix list; without a number, of the last',
    run = function(call)
      local number = tonumber(call.arguments[1])
      if call.arguments[1] and not number then
        require('acp_lens.log').warn('a turn is named by its number')
        return
      end
      require('acp_lens.list').turn(number and math.floor(number))
    end,
    complete = function(lead)
      local store = require('acp_lens.store')
      local entry = store.current()
      return among(vim.tbl_map(function(turn)
        return tostring(turn.number)
      end, entry and store.turns(entry) or {}))(lead)
    end,
  },
  sessions = {
    desc = 'choose a session',
    run = function()
      require('acp_lens.session').select()
    end,
  },
  trace = {
    desc = 'show a recorded session',
    run = function(call)
      if call.rest ~= '' then
        require('acp_lens.trace').open(call.rest)
        return
      end
      vim.ui.input({ prompt = 'Recorded session: ', completion = 'file' }, function(path)
        if path and path ~= '' then
          require('acp_lens.trace').open(path)
        end
      end)
    end,
    complete = function(lead)
      return vim.fn.getcompletion(lead, 'file')
    end,
  },
  start = {
    desc = 'start a session with an agent',
    run = function(call)
      require('acp_lens.session').start(call.arguments[1])
    end,
    complete = agent_names,
  },
  prompt = {
    desc = 'send a prompt, or open the place to write one',
    run = function(call)
      require('acp_lens.session').prompt(call.rest)
    end,
  },
  cancel = {
    desc = 'cancel the running turn',
    run = function()
      local entry = require('acp_lens.store').current_host()
      if entry then
        require('acp_lens.session').cancel(entry.info.session)
      else
        require('acp_lens.log').info('no session runs')
      end
    end,
  },
  load = {
    desc = 'load an earlier session of an agent',
    run = function(call)
      require('acp_lens.session').load(call.arguments[1])
    end,
    complete = agent_names,
  },
  permissions = {
    desc = 'answer what an agent asks',
    run = function()
      require('acp_lens.permission').select()
    end,
  },
  follow = {
    desc = 'show what the agent edits, or stop that',
    run = function()
      require('acp_lens.follow').toggle()
    end,
  },
  toggle = {
    desc = 'show or hide all marks',
    run = function()
      require('acp_lens.buffer').toggle()
    end,
  },
  deleted = {
    desc = 'show or hide the text that was there before',
    run = function()
      require('acp_lens.buffer').toggle_deleted(vim.api.nvim_get_current_buf())
    end,
  },
  hover = {
    desc = 'what the change at the cursor is',
    run = function()
      require('acp_lens.actions').hover()
    end,
  },
  info = {
    desc = 'binary, version, sessions',
    run = function()
      require('acp_lens.info').show()
    end,
  },
  log = {
    desc = 'open the log',
    run = function()
      vim.cmd.tabedit(vim.fn.fnameescape(require('acp_lens.log').path()))
    end,
  },
  restart = {
    desc = 'start the server afresh',
    run = function()
      require('acp_lens.client').restart()
    end,
  },
  stop = {
    desc = 'stop the server',
    run = function()
      require('acp_lens.client').stop()
    end,
  },
}

--- Runs a subcommand line, as the <Plug> mappings do.
---@param line string
---@param count? integer
function M.execute(line, count)
  local name, rest = line:match('^%s*(%S*)%s*(.-)%s*$')
  if not name or name == '' then
    name, rest = 'changes', ''
  end
  local subcommand = M.subcommands[name]
  if not subcommand then
    require('acp_lens.log').error(
      ('there is no subcommand `%s`; :AcpLens <Tab> lists them'):format(name)
    )
    return
  end
  local arguments = vim.split(rest or '', '%s+', { trimempty = true })
  if subcommand.words and arguments[1] and not vim.tbl_contains(subcommand.words, arguments[1]) then
    require('acp_lens.log').error(
      ('`%s` takes %s, not `%s`'):format(name, alternatives(subcommand.words), arguments[1])
    )
    return
  end
  subcommand.run({ arguments = arguments, rest = rest or '', count = count or 1 })
end

---@param args { args: string, count: integer }
function M.run(args)
  M.execute(args.args, math.max(args.count, 1))
end

---@param lead string
---@param line string
---@param position integer
---@return string[]
function M.complete(lead, line, position)
  local before = line:sub(1, position)
  local name = before:match('AcpLens%s+(%S+)%s')
  if name then
    local subcommand = M.subcommands[name]
    local complete = subcommand and (subcommand.complete or among(subcommand.words or {}))
    return complete and complete(lead) or {}
  end
  local names = vim.tbl_keys(M.subcommands)
  table.sort(names)
  return among(names)(lead)
end

return M
