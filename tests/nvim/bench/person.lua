--- A person at a terminal, as far as Neovim can tell: keys go in, a screen comes out, and nothing
--- asks that Neovim anything. What it costs is read from the outside.
local M = {}

--- A fast typist's pause between keys, in milliseconds.
local PAUSE_MS = 30
--- A screen that stood still for so long has come to rest.
local REST_MS = 10
--- An <Esc> is told from the start of a longer key by the time after it ('ttimeoutlen').
local ESCAPE_MS = 80

--- What a terminal answers when Neovim asks for its background colour and whether it is there.
local ANSWERS = { ['\27]11;?'] = '\27]11;rgb:0000/0000/0000\27\\', ['\27[5n'] = '\27[0n' }

---@class bench.Person
---@field job integer of the terminal's process
---@field screen string the last that came out, enough of it to look for words
---@field drawn integer when something came out for the last time, in nanoseconds
---@field started integer
local Person = {}
Person.__index = Person

---@param process integer
---@return integer[] the process and all below it that are Neovims
local function neovims(process)
  local found = { process }
  local file = io.open(('/proc/%d/task/%d/children'):format(process, process))
  for child in (file and file:read('*a') or ''):gmatch('%d+') do
    local arguments = io.open(('/proc/%s/cmdline'):format(child))
    if arguments and arguments:read('*a'):find('%-%-embed') then
      vim.list_extend(found, neovims(tonumber(child) --[[@as integer]]))
    end
  end
  return found
end

--- Starts Neovim in a terminal of 200x50.
---@param command string[]
---@param cwd string
---@param env table<string, string>
---@return bench.Person
function M.start(command, cwd, env)
  local person = setmetatable({ screen = '', drawn = 0, started = vim.uv.hrtime() }, Person)
  person.job = vim.fn.jobstart(command, {
    pty = true,
    width = 200,
    height = 50,
    cwd = cwd,
    env = vim.tbl_extend('force', { TERM = 'xterm-256color' }, env),
    on_stdout = function(_, data)
      person.drawn = vim.uv.hrtime()
      local text = table.concat(data, '\n')
      person.screen = (person.screen .. text):sub(-60000)
      for question, answer in pairs(ANSWERS) do
        if text:find(question, 1, true) then
          vim.fn.chansend(person.job, answer)
        end
      end
    end,
  })
  assert(person.job > 0, 'no Neovim came up')
  return person
end

--- Waits until a text has come out, and says how many milliseconds after the start that was.
---@param text string
---@return number
function Person:sees(text)
  assert(
    vim.wait(60000, function()
      return self.screen:find(text, 1, true) ~= nil
    end, 1),
    ('%s does not show'):format(text)
  )
  return (self.drawn - self.started) / 1e6
end

--- Waits, and reads what comes out meanwhile.
---@param ms integer
function Person:rest(ms)
  vim.wait(ms, function()
    return false
  end, 1)
end

--- Milliseconds from each key to the last that it drew, added up.
---@param keys string[]
---@return number
function Person:press(keys)
  local total = 0
  for _, key in ipairs(keys) do
    local from = vim.uv.hrtime()
    self.drawn = from
    vim.fn.chansend(self.job, key)
    local pause = (key == '\27' and ESCAPE_MS or PAUSE_MS) * 1e6
    vim.wait(5000, function()
      local now = vim.uv.hrtime()
      return now - from >= pause and now - self.drawn >= REST_MS * 1e6
    end, 1)
    total = total + (self.drawn - from) / 1e6
  end
  return total
end

--- Processor time of Neovim so far, both its terminal and its editor, in milliseconds.
---@return number
function Person:cpu()
  local total = 0
  for _, process in ipairs(neovims(vim.fn.jobpid(self.job))) do
    for thread in vim.fs.dir(('/proc/%d/task'):format(process)) do
      local file = io.open(('/proc/%d/task/%s/schedstat'):format(process, thread))
      total = total + (file and tonumber(file:read('*a'):match('^%d+')) or 0) / 1e6
    end
  end
  return total
end

function Person:leave()
  vim.fn.chansend(self.job, '\27')
  self:rest(ESCAPE_MS)
  vim.fn.chansend(self.job, ':qall!\r')
  if vim.fn.jobwait({ self.job }, 5000)[1] < 0 then
    vim.fn.jobstop(self.job)
  end
end

return M
