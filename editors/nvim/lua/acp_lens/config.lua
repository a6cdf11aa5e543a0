--- Options: what the user may set, the defaults, and the check of both.
local M = {}

---@class acp_lens.UserConfig What a user may pass to `setup` or put into `vim.g.acp_lens`.
---@field bin? string Path of the binary; found by itself when empty
---@field autostart? boolean Start the server with the first file buffer
---@field root? fun(path: string): string? The workspace folder of a file
---@field lens? acp_lens.UserLens
---@field signs? acp_lens.UserSigns
---@field linehl? boolean Highlight changed lines
---@field deleted? boolean Show deleted lines below the hunk, without being asked
---@field icons? 'auto'|boolean File icons in lists
---@field follow? boolean Show what an agent edits, without taking the focus
---@field checktime? boolean Reload unmodified buffers that an agent changed on disk
---@field notify? boolean Say when an agent asks, and when a turn ends
---@field trace? string Path of a recorded trace to show
---@field agents? table<string, { command: string, args?: string[], env?: table<string, string> }>
---@field agent_terminals? boolean Agents may run commands through the server
---@field settings? table<string, any> More settings for the server, by the names of the protocol

---@class acp_lens.UserLens
---@field enabled? boolean
---@field position? 'auto'|'above'|'eol' `auto` is `above` from Neovim 0.12 on, else `eol`
---@field actions? boolean Show the lenses `Show diff`, `Previous` and `Next` as well

---@class acp_lens.UserSigns
---@field enabled? boolean
---@field added? string
---@field modified? string
---@field deleted? string Sign of a deletion above the line
---@field deleted_below? string Sign of a deletion at the end of the file
---@field priority? integer

---@class acp_lens.Config
---@field bin string
---@field autostart boolean
---@field root fun(path: string): string?
---@field lens { enabled: boolean, position: 'auto'|'above'|'eol', actions: boolean }
---@field signs { enabled: boolean, added: string, modified: string, deleted: string, deleted_below: string, priority: integer }
---@field linehl boolean
---@field deleted boolean
---@field icons 'auto'|boolean
---@field follow boolean
---@field checktime boolean
---@field notify boolean
---@field trace string
---@field agents table<string, table>
---@field agent_terminals boolean
---@field settings table<string, any>

---@type acp_lens.Config
M.defaults = {
  bin = '',
  autostart = true,
  root = function(path)
    return vim.fs.root(path, '.git')
  end,
  lens = { enabled = true, position = 'auto', actions = false },
  signs = {
    enabled = true,
    added = '┃',
    modified = '┃',
    deleted = '▔',
    deleted_below = '▁',
    priority = 5,
  },
  linehl = false,
  deleted = false,
  icons = 'auto',
  follow = false,
  checktime = true,
  notify = true,
  trace = '',
  agents = {},
  agent_terminals = false,
  settings = {},
}

local POSITIONS = { auto = true, above = true, eol = true }

---@type acp_lens.Config?
local current
---@type string[]
local current_faults = {}

---@param user table
---@param known table
---@param path string
---@return string[] paths of options that do not exist
local function unknown(user, known, path)
  local names = {} ---@type string[]
  for name, value in pairs(user) do
    if known[name] == nil then
      names[#names + 1] = path .. tostring(name)
    elseif type(value) == 'table' and (name == 'lens' or name == 'signs') then
      vim.list_extend(names, unknown(value, known[name], path .. name .. '.'))
    end
  end
  table.sort(names)
  return names
end

--- The types that options have, by their path.
---@type table<string, string|string[]>
local TYPES = {
  bin = 'string',
  autostart = 'boolean',
  root = 'function',
  lens = 'table',
  ['lens.enabled'] = 'boolean',
  ['lens.actions'] = 'boolean',
  signs = 'table',
  ['signs.enabled'] = 'boolean',
  ['signs.added'] = 'string',
  ['signs.modified'] = 'string',
  ['signs.deleted'] = 'string',
  ['signs.deleted_below'] = 'string',
  ['signs.priority'] = 'number',
  linehl = 'boolean',
  deleted = 'boolean',
  follow = 'boolean',
  checktime = 'boolean',
  notify = 'boolean',
  trace = 'string',
  agents = 'table',
  agent_terminals = 'boolean',
  settings = 'table',
}

--- What is wrong with these options, one line each, empty when they are fine; and the options
--- that are right.
---@param user any
---@return string[] faults
---@return table right
local function check(user)
  if type(user) ~= 'table' then
    return { 'options must be a table, they are a ' .. type(user) }, {}
  end
  local faults, right = {}, vim.deepcopy(user) ---@type string[], table
  ---@param path string of the option, which keeps its default
  ---@param why string
  local function fault(path, why)
    faults[#faults + 1] = why
    local group, name = path:match('^(%w+)%.(.+)$')
    local owner = group and right[group] or right
    if type(owner) == 'table' then
      owner[name or path] = nil
    end
  end
  for _, path in ipairs(unknown(user, M.defaults, '')) do
    fault(path, ('there is no option `%s`'):format(path))
  end
  for path, wanted in vim.spairs(TYPES) do
    local value = vim.tbl_get(user, unpack(vim.split(path, '.', { plain = true })))
    if value ~= nil and type(value) ~= wanted then
      fault(path, ('`%s` must be a %s, it is a %s'):format(path, wanted, type(value)))
    end
  end
  local position = type(user.lens) == 'table' and user.lens.position
  if position and not POSITIONS[position] then
    fault('lens.position', "`lens.position` must be 'auto', 'above' or 'eol'")
  end
  if user.icons ~= nil and user.icons ~= 'auto' and type(user.icons) ~= 'boolean' then
    fault('icons', "`icons` must be 'auto' or a boolean")
  end
  return faults, right
end

--- Says which options are wrong.
---@param faults string[]
function M.tell(faults)
  require('acp_lens.log').error('faulty options are passed over: ' .. table.concat(faults, '; '))
end

--- Takes the user's options. Faulty ones are named and have their defaults; the others hold.
---@param user? acp_lens.UserConfig
---@return string[] faults
function M.set(user)
  local faults, right = check(user == nil and {} or user)
  current = vim.tbl_deep_extend('force', M.defaults, right)
  current_faults = faults
  return faults
end

--- What is wrong with the options that were set, by `setup` or in `vim.g.acp_lens`.
---@return string[]
function M.faults()
  M.get()
  return current_faults
end

---@return acp_lens.Config
function M.get()
  if not current then
    local faults = M.set(vim.g.acp_lens)
    if #faults > 0 then
      M.tell(faults)
    end
  end
  return current --[[@as acp_lens.Config]]
end

--- The settings as the server has them.
---@return table<string, any>
function M.server_settings()
  local config = M.get()
  local settings = {
    codeLens = config.lens.enabled and 'all' or 'off',
    follow = config.follow,
    agents = next(config.agents) and config.agents or vim.empty_dict(),
    agentTerminals = config.agent_terminals,
    trace = config.trace ~= '' and vim.fs.normalize(config.trace) or vim.NIL,
  }
  return vim.tbl_deep_extend('force', settings, config.settings)
end

return M
