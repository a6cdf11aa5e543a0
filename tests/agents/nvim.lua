-- The extension with a real agent: `:AcpLens start`, two prompts, the questions, the lenses.
-- Run by check.py, which says in ACP_LENS_CHECK what to do and where to tell what was seen.
local h = require('harness')
local store = require('acp_lens.store')
local it, eventually, equal = h.it, h.eventually, h.equal

local check = vim.json.decode(vim.env.ACP_LENS_CHECK)
--- A real agent on a busy machine.
local PATIENCE = 60000

require('acp_lens').setup({ bin = vim.env.ACP_LENS_BIN, agents = check.agents })
vim.cmd.cd(vim.fn.fnameescape(check.workspace))
vim.cmd.edit(check.file)
local buf = vim.api.nvim_get_current_buf()

local stop_reasons = {}
vim.api.nvim_create_autocmd('User', {
  pattern = 'AcpLensTurnEnd',
  callback = function(event)
    table.insert(stop_reasons, event.data.stopReason)
  end,
})

-- Each question of the agent is answered with yes, once.
vim.ui.select = function(items, _, choose)
  for _, item in ipairs(items) do
    if item.kind == 'allow_once' then
      return choose(item)
    end
  end
  choose(items[1])
end

it('a session starts', function()
  vim.cmd('AcpLens start ' .. check.agent)
  eventually('the session', function()
    local entry = store.current_host()
    return entry and entry.info.state == 'idle'
  end, PATIENCE)
end)

for number, prompt in ipairs(check.prompts) do
  it('prompt ' .. number .. ' runs', function()
    vim.cmd('AcpLens prompt ' .. prompt)
    eventually('the end of the turn', function()
      if require('acp_lens.permission').count() > 0 then
        vim.cmd('AcpLens permissions')
      end
      return #stop_reasons == number
    end, PATIENCE)
    equal('end_turn', stop_reasons[number])
  end)
end

it('the buffer shows what the agent wrote', function()
  eventually('the text of the disk', function()
    local lines = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
    return vim.deep_equal(lines, vim.fn.readfile(check.file))
  end)
end)

it('lenses stand in it', function()
  local client = assert(vim.lsp.get_clients({ bufnr = buf, name = 'acp_lens' })[1])
  local params = { textDocument = vim.lsp.util.make_text_document_params(buf) }
  local seen = eventually('as many as are wanted', function()
    local answer = client:request_sync('textDocument/codeLens', params, PATIENCE, buf)
    local lines = {}
    for _, lens in ipairs(answer and answer.result or {}) do
      if lens.command.title:find('^turn ') then
        lines[#lines + 1] = lens.range.start.line
      end
    end
    table.sort(lines)
    return #lines >= #check.lenses and lines
  end)
  equal(check.lenses, seen)
end)

h.finish()
