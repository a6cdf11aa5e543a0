-- Texts that are made without a server: counts, plurals, the rows of lists, the lines of a timeline.
local h = require('harness')
local it, equal = h.it, h.equal

local protocol = require('acp_lens.protocol')
local timeline = require('acp_lens.render.timeline')

it('numbers have their plural, and what is not counted is said', function()
  equal('1 session', protocol.plural(1, 'session'))
  equal('0 changed files', protocol.plural(0, 'changed file'))
  equal('+3 -0', protocol.counts(3, 0))
  equal('+3 -?', protocol.counts(3, nil))
  equal('not counted', protocol.counts(nil, nil))
end)

---@param files { relativePath: string, added: integer?, removed: integer? }[]
local function rows(files)
  local list = vim.tbl_map(function(file)
    return {
      session = 's',
      uri = 'file:///' .. file.relativePath,
      file = file,
      action = 'modified',
      added = file.added,
      removed = file.removed,
      turns = {},
    }
  end, files)
  local info = { session = 's', state = 'idle', notices = {}, uniqueFileCount = #files }
  local entries = { { info = info, turns = {}, files = list } }
  return vim.tbl_map(function(row)
    return row.text
  end, require('acp_lens.render.changes').rows(entries, { mode = 'file' }))
end

it('paths line up, counted or not', function()
  equal({ 'agent  1 file  not counted', '  M not counted  b' }, rows({ { relativePath = 'b' } }))
  equal({
    'agent  2 files  not counted',
    '  M +1234    -5  a',
    '  M not counted  b',
  }, rows({ { relativePath = 'a', added = 1234, removed = 5 }, { relativePath = 'b' } }))
end)

---@param status string
---@param live boolean
---@return string mark
local function mark(status, live)
  local item = { type = 'toolCall', toolCall = 'c', title = 'edit', status = status }
  local lines = timeline.item(1, item, {
    live = live,
    files = function()
      return {}
    end,
  })
  return (assert(lines[1]).text:gsub(' edit$', ''))
end

it('a call runs no longer than its turn', function()
  equal('…', mark('running', true))
  equal('·', mark('pending', true))
  equal('–', mark('running', false))
  equal('–', mark('pending', false))
  equal('✓', mark('completed', false))
  equal('✗', mark('failed', false))
end)

it('the status of a buffer adds no count that is missing', function()
  local store = require('acp_lens.store')
  local buf = vim.api.nvim_create_buf(false, false)
  local files = { { added = 3, removed = 1 }, { added = 2 } }
  local kept = { hunks = store.hunks, sessions = store.sessions }
  store.hunks = function()
    return { uri = 'u', hunks = {} }
  end
  store.sessions = function()
    return vim.tbl_map(function(file)
      return { by_uri = { u = file } }
    end, files)
  end
  require('acp_lens.status').update(buf)
  equal('+5 -?', vim.b[buf].acp_lens_status)
  equal({ hunks = 0, added = 5, sessions = 2 }, vim.b[buf].acp_lens_status_dict)
  files = { { added = 3, removed = 1 } }
  require('acp_lens.status').update(buf)
  equal('+3 -1', vim.b[buf].acp_lens_status)
  store.hunks, store.sessions = kept.hunks, kept.sessions
end)

it('a help that does not fit says so and can be scrolled', function()
  local lines = vim.o.lines
  vim.o.lines = 9
  vim.g.acp_lens_autostart = false
  package.loaded['acp_lens.client'] = { start = function() end }
  vim.cmd('AcpLens changes')
  vim.api.nvim_feedkeys('?', 'xt', false)
  local config = vim.api.nvim_win_get_config(0)
  assert(config.height < vim.api.nvim_buf_line_count(0), vim.inspect(config))
  equal(' more below ', config.footer[1][1])
  vim.api.nvim_feedkeys('q', 'xt', false)
  vim.o.lines = 24
  vim.api.nvim_feedkeys('?', 'xt', false)
  config = vim.api.nvim_win_get_config(0)
  equal(vim.api.nvim_buf_line_count(0), config.height)
  equal(nil, config.footer)
  vim.api.nvim_feedkeys('q', 'xt', false)
  vim.o.lines = lines
end)

h.finish()
