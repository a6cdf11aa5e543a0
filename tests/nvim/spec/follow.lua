-- Following: what an agent edits is shown in a window that nobody uses, or not at all.
local h = require('harness')
local workspace = require('workspace')
local it, eventually, equal = h.it, h.eventually, h.equal

local root = workspace.of_demo()
vim.cmd.cd(vim.fn.fnameescape(root))
vim.cmd.edit('receipt.py')
local shown = vim.api.nvim_get_current_win()

local turns_ended = 0
vim.api.nvim_create_autocmd('User', {
  pattern = 'AcpLensTurnEnd',
  callback = function()
    turns_ended = turns_ended + 1
  end,
})

---@param win integer
---@return string
local function file_in(win)
  return vim.fs.basename(vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(win)))
end

local mine
it('with follow off, no window changes', function()
  vim.cmd('AcpLens start demo')
  eventually('the session', function()
    local entry = require('acp_lens.store').current_host()
    return entry and entry.info.state == 'idle'
  end)
  mine = vim.api.nvim_get_current_win()
  assert(mine ~= shown)
  vim.cmd('AcpLens prompt Give a discount')
  eventually('the end of the turn', function()
    return turns_ended == 1
  end, 60000)
  equal('receipt.py', file_in(shown))
end)

it('with follow on, the other window shows what the agent edits', function()
  vim.cmd('AcpLens follow')
  assert(require('acp_lens.config').get().follow)
  vim.cmd('AcpLens prompt Go on')
  eventually('the edited file', function()
    return file_in(shown) == 'README.md'
  end, 60000)
  equal(mine, vim.api.nvim_get_current_win(), 'the focus')
end)

it('unsaved text and the window that is used stay', function()
  local follow = require('acp_lens.follow')
  local other = { uri = vim.uri_from_fname(root .. '/receipt.py') }
  vim.bo[vim.api.nvim_win_get_buf(shown)].modified = true
  equal(false, follow.show(other))
  vim.bo[vim.api.nvim_win_get_buf(shown)].modified = false
  vim.api.nvim_set_current_win(shown)
  equal(false, follow.show(other))
  equal('README.md', file_in(shown))
  vim.api.nvim_set_current_win(mine)
end)

it('with follow off again, the rest of the turn moves nothing', function()
  vim.cmd('AcpLens follow')
  assert(not require('acp_lens.config').get().follow)
  eventually('the question', function()
    return require('acp_lens.permission').count() == 1
  end, 60000)
  local session = require('acp_lens.store').current_host().info.session
  local question = assert(require('acp_lens.permission').of(session))
  require('acp_lens.permission').choose(question, question.options[1].optionId)
  eventually('the end of the turn', function()
    return turns_ended == 2
  end, 60000)
  equal('README.md', file_in(shown))
  equal(mine, vim.api.nvim_get_current_win(), 'the focus')
end)

h.finish()
