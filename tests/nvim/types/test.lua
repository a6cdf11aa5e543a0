-- Types: a language server for Lua reads the plugin with Neovim's own annotations, and finds nothing.
local h = require('harness')

local here = vim.fs.dirname(vim.fs.abspath(debug.getinfo(1, 'S').source:sub(2)))
local plugin = vim.fs.normalize(here .. '/../../../editors/nvim')

h.it('the types of the plugin are right', function()
  local settings = {
    diagnostics = { disable = { 'unresolved-require', 'unnecessary-if' } },
    runtime = { version = 'LuaJIT', requirePattern = { 'lua/?.lua', 'lua/?/init.lua' } },
    workspace = { library = { vim.env.VIMRUNTIME .. '/lua', here } },
  }
  local id = assert(vim.lsp.start({
    name = 'emmylua',
    cmd = { assert(vim.env.EMMYLUA), '--log-level', 'error' },
    root_dir = plugin,
    handlers = {
      ['workspace/configuration'] = function(_, params)
        return vim.tbl_map(function()
          return settings
        end, params.items)
      end,
    },
  }, { attach = false }))
  local client = assert(vim.lsp.get_client_by_id(id))
  h.eventually('the language server', function()
    return client.initialized
  end)
  local files = vim.fs.find(function(name)
    return name:match('%.lua$') ~= nil
  end, { path = plugin, limit = math.huge, type = 'file' })
  local faults = {}
  for _, file in ipairs(files) do
    local answer = assert(client:request_sync('textDocument/diagnostic', {
      textDocument = { uri = vim.uri_from_fname(file) },
    }, 60000))
    assert(not answer.err and answer.result.items, vim.inspect(answer))
    for _, fault in ipairs(answer.result.items) do
      faults[#faults + 1] = ('%s:%d: %s [%s]'):format(
        file:sub(#plugin + 2),
        fault.range.start.line + 1,
        fault.message,
        fault.code or ''
      )
    end
  end
  assert(#files > 20, 'files: ' .. #files)
  assert(#faults == 0, table.concat(faults, '\n'))
end)

h.finish()
