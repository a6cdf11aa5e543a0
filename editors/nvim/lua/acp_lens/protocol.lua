--- The names of the editor protocol, and the shapes of what is read here.
--- `docs/protocol.md` describes all of it.
--- Compared with the Rust types when their hash was 86ca649898a4b1aa.
local M = {}

--- The protocol version that this plugin speaks.
M.VERSION = 1

---@enum acp_lens.method
M.method = {
  agents = 'acpLens/agents',
  changes = 'acpLens/changes',
  closeTrace = 'acpLens/closeTrace',
  diff = 'acpLens/diff',
  didChangeActivity = 'acpLens/didChangeActivity',
  didChangeHunks = 'acpLens/didChangeHunks',
  didChangeSession = 'acpLens/didChangeSession',
  didUpdateTimeline = 'acpLens/didUpdateTimeline',
  goTo = 'acpLens/goTo',
  hunks = 'acpLens/hunks',
  openTrace = 'acpLens/openTrace',
  requestPermission = 'acpLens/requestPermission',
  sessionCancel = 'acpLens/session/cancel',
  sessionClose = 'acpLens/session/close',
  sessionList = 'acpLens/session/list',
  sessionLoad = 'acpLens/session/load',
  sessionNew = 'acpLens/session/new',
  sessionPrompt = 'acpLens/session/prompt',
  sessionRespondPermission = 'acpLens/session/respondPermission',
  sessionSubscribe = 'acpLens/session/subscribe',
  textDocumentContent = 'acpLens/textDocumentContent',
}

---@class acp_lens.Session
---@field session string
---@field sessionId string
---@field source 'host'|'tap'|'trace'
---@field generation integer
---@field state 'connecting'|'loading'|'idle'|'prompting'|'disconnected'
---@field agent { name: string, version: string? }?
---@field title string?
---@field workspaceRoot string?
---@field executionCwd string?
---@field uniqueFileCount integer
---@field turnCount integer
---@field added integer?
---@field removed integer?
---@field stopReason string?
---@field error string?
---@field notices acp_lens.Notice[]

---@class acp_lens.Notice
---@field kind string
---@field message string
---@field toolCall string?

---@class acp_lens.Turn
---@field session string
---@field turn string
---@field number integer
---@field prompt string?
---@field files integer
---@field added integer?
---@field removed integer?
---@field notices acp_lens.Notice[]
---@field durationMs integer?

---@alias acp_lens.Action 'created'|'modified'|'deleted'|'moved'

---@class acp_lens.FileTurn
---@field turn string
---@field number integer
---@field sequence integer orders the files of a turn
---@field action acp_lens.Action
---@field added integer?
---@field removed integer?
---@field toolCalls { toolCall: string, toolName: string, action: acp_lens.Action }[]

---@class acp_lens.File
---@field session string
---@field uri string? nil where the agent named a file without its folder
---@field file { workspaceRoot: string, relativePath: string }
---@field fromPath string?
---@field action acp_lens.Action
---@field added integer?
---@field removed integer?
---@field doubt string?
---@field turns acp_lens.FileTurn[]

---@class acp_lens.PlacedFile: acp_lens.File One whose folder is known.
---@field uri string

---@class acp_lens.Hunk
---@field id string
---@field range lsp.Range?
---@field kind 'added'|'modified'|'deleted'
---@field state string
---@field session string
---@field agent string?
---@field turn string
---@field turnNumber integer
---@field toolCall string
---@field added integer?
---@field removed integer?
---@field candidates lsp.Range[]
---@field replaces string[]
---@field reason string?
---@field oldText string?
---@field newText string?

---@class acp_lens.Question
---@field session string
---@field generation integer
---@field permission string
---@field toolCall string
---@field title string
---@field kind string?
---@field files { uri: string?, path: string, action: acp_lens.Action?, line: integer? }[]
---@field detail string?
---@field options { optionId: string, name: string, kind: string }[]

--- `nil` for a JSON null, which Neovim decodes to `vim.NIL`.
---@generic T
---@param value T
---@return T?
function M.value(value)
  if value == vim.NIL then
    return nil
  end
  return value
end

--- Replaces every JSON null below `value` by nil, so that `if x` means what it says.
---@generic T
---@param value T
---@return T
function M.clean(value)
  if type(value) == 'table' then
    for key, member in pairs(value) do
      if member == vim.NIL then
        value[key] = nil
      else
        M.clean(member)
      end
    end
  end
  return value
end

--- `1 file`, `2 files`.
---@param number integer
---@param one string
---@return string
function M.plural(number, one)
  return ('%d %s%s'):format(number, one, number == 1 and '' or 's')
end

--- `+3 -1`, with a sign for what is not known: a count that is missing is not zero.
---@param added integer?
---@param removed integer?
---@return string
function M.counts(added, removed)
  if added == nil and removed == nil then
    return 'not counted'
  end
  return ('+%s -%s'):format(added or '?', removed or '?')
end

---@type table<acp_lens.Action, string>
M.letter = { created = 'A', modified = 'M', deleted = 'D', moved = 'R' }

return M
