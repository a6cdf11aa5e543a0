--- `:checkhealth acp_lens`
local M = {}

function M.check()
  local health = vim.health
  health.start('acp-lens')
  if vim.fn.has('nvim-0.11') == 1 then
    health.ok('Neovim ' .. vim.fn.execute('version'):match('NVIM v(%S+)'))
  else
    health.error('Neovim 0.11 or newer is needed')
  end

  local faults = require('acp_lens.config').faults()
  if #faults == 0 then
    health.ok('options are fine')
  else
    for _, fault in ipairs(faults) do
      health.error(fault)
    end
  end

  health.start('acp-lens: the server')
  for _, candidate in ipairs(require('acp_lens.binary').candidates()) do
    if candidate.usable then
      health.ok(('%s: %s'):format(candidate.place, candidate.path))
    else
      health.info(('%s: %s is not there'):format(candidate.place, candidate.path))
    end
  end
  local binary, why = require('acp_lens.binary').find()
  if not binary then
    health.error(why --[[@as string]])
    return
  end
  local result = vim.system({ binary, '--version' }, { text = true }):wait(5000)
  if result.code == 0 then
    health.ok(vim.trim(result.stdout or ''))
  else
    health.error(
      ('%s --version failed with status %d'):format(binary, result.code),
      { 'build it again, or set the option `bin` to another one' }
    )
    return
  end
  local client = require('acp_lens.client').get()
  if not client then
    health.info('the server does not run; it starts with the first file')
    return
  end
  local extension = vim.tbl_get(client.server_capabilities or {}, 'experimental', 'acpLens') or {}
  local wanted = require('acp_lens.protocol').VERSION
  if extension.version == wanted then
    health.ok(('the server runs and speaks protocol version %d'):format(wanted))
  else
    health.error(
      ('the server speaks protocol version %s, this plugin needs %d'):format(
        extension.version or 'none',
        wanted
      ),
      { 'update the older of the two' }
    )
  end
  health.info('sessions that are known: ' .. #require('acp_lens.store').sessions())
end

return M
