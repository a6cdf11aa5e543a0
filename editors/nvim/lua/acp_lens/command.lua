--- `:AcpLens`: the subcommands and their completion.
local M = {}

---@class acp_lens.Call
---@field arguments string[]
---@field rest string everything after the subcommand
---@field bang boolean
---@field count integer

---@class acp_lens.Subcommand
---@field desc string
---@field run fun(call: acp_lens.Call)
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

---@return string[]
local function agent_names()
  return vim.tbl_keys(require('acp_lens.config').get().agents)
end

---@type table<string, acp_lens.Subcommand>
M.subcommands = {
  changes = {
    desc = 'the list of sessions, turns and files (by `turn` or by `file`)',
    run = function(call)
      require('acp_lens.changes').open({ mode = call.arguments[1] })
    end,
    complete = among({ 'turn', 'file' }),
  },
  diff = {
    desc = 'the diff at the cursor, of its call, turn or session',
    run = function(call)
      require('acp_lens.diff').at_cursor(call.arguments[1])
    end,
    complete = among({ 'call', 'turn', 'session' }),
  },
  next = { desc = 'go to the next change', run = go('next'), complete = among({ 'file' }) },
  prev = { desc = 'go to the previous change', run = go('previous'), complete = among({ 'file' }) },
  first = { desc = 'go to the first change', run = go('first'), complete = among({ 'file' }) },
  last = { desc = 'go to the last change', run = go('last'), complete = among({ 'file' }) },
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
      require('acp_lens.pick').pick(call.arguments[1])
    end,
    complete = among({ 'select', 'snacks', 'telescope', 'fzf-lua' }),
  },
  turn = {
    desc = 'the changes of a turn to the quickfix list; without a number, of the last',
    run = function(call)
      local number = tonumber(call.arguments[1])
      if call.arguments[1] and not number then
        require('acp_lens.log').warn('a turn is named by its number')
        return
      end
      require('acp_lens.list').turn(number)
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
      if call.rest == '' then
        require('acp_lens.log').warn('name the file of the recorded session')
        return
      end
      require('acp_lens.trace').open(call.rest)
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
    complete = function(lead)
      return among(agent_names())(lead)
    end,
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
    complete = function(lead)
      return among(agent_names())(lead)
    end,
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
---@param options? { count?: integer, bang?: boolean }
function M.execute(line, options)
  options = options or {}
  local name, rest = line:match('^%s*(%S*)%s*(.-)%s*$')
  if name == '' then
    name = 'changes'
  end
  local subcommand = M.subcommands[name]
  if not subcommand then
    require('acp_lens.log').error(
      ('there is no subcommand `%s`; :AcpLens <Tab> lists them'):format(name)
    )
    return
  end
  subcommand.run({
    arguments = vim.split(rest, '%s+', { trimempty = true }),
    rest = rest,
    bang = options.bang or false,
    count = options.count or 1,
  })
end

---@param args { args: string, bang: boolean, range: integer, count: integer }
function M.run(args)
  M.execute(args.args, {
    bang = args.bang,
    count = args.range > 0 and math.max(args.count, 1) or 1,
  })
end

---@param lead string
---@param line string
---@param position integer
---@return string[]
function M.complete(lead, line, position)
  local before = line:sub(1, position)
  local name = before:match('AcpLens!?%s+(%S+)%s')
  if name then
    local subcommand = M.subcommands[name]
    return subcommand and subcommand.complete and subcommand.complete(lead) or {}
  end
  local names = vim.tbl_keys(M.subcommands)
  table.sort(names)
  return among(names)(lead)
end

return M
