-- A call has ended: free its slot, correct its tokens, and let its outcome be known to everybody.
-- KEYS: account hash, slots, how calls ended
-- ARGV: permit, bucket, tokens to add, effect, retry after (ms, -1: not said), duration (ms), why, said, threshold,
--       cooldown of the breaker (ms), its longest, cooldown asked for by headers (ms), rpm is configured (0 or 1), key
-- Answers {refusals in a row, ms to wait, 1 if the breaker is open}.
local BUCKET, WINDOW = 500, 60000
-- Counts of an account that nobody asks any more are kept for a month.
local COUNTED = 30 * 86400
-- A refusal after less than this many calls a minute says nothing about the rate.
local SLOWEST = 5
local permit, bucket, tokens, effect = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]
local retry, duration = tonumber(ARGV[5]), tonumber(ARGV[6])
local threshold, cooldown, longest = tonumber(ARGV[9]), tonumber(ARGV[10]), tonumber(ARGV[11])
local asked, configured, key = tonumber(ARGV[12]), ARGV[13] == '1', ARGV[14]
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local function number(name) return tonumber(redis.call('HGET', KEYS[1], name) or 0) end
local function set(name, value) redis.call('HSET', KEYS[1], name, string.format('%.0f', value)) end

redis.call('ZREM', KEYS[2], permit)
if effect ~= 'unasked' then
  redis.call('HINCRBY', KEYS[3], effect == 'success' and effect or ARGV[7] ~= '' and ARGV[7] or effect, 1)
  redis.call('EXPIRE', KEYS[3], COUNTED)
end
if redis.call('EXISTS', KEYS[1]) == 0 then return {0, 0, 0} end
if tokens ~= 0 and redis.call('HEXISTS', KEYS[1], 'r:' .. bucket) == 1 then
  redis.call('HINCRBY', KEYS[1], 't:' .. bucket, tokens)
end
local probed = redis.call('HGET', KEYS[1], 'probe') == permit
if probed then redis.call('HDEL', KEYS[1], 'probe') end
if asked > 0 then set('block', math.max(number('block'), now + asked)) end

local refused, wait = 0, 0
if effect == 'success' or effect == 'answered' then
  redis.call('HDEL', KEYS[1], 'fails', 'open', 'opens', 'probe', 'why', 'said', 'key', 'refused')
  if effect == 'success' then
    local mean = number('mean')
    set('mean', mean == 0 and duration or 0.8 * mean + 0.2 * duration)
  end
elseif effect == 'limited' then
  redis.call('HDEL', KEYS[1], 'fails', 'open', 'opens', 'why', 'said', 'key')
  -- Refusals of calls that were under way together are one refusal.
  if number('block') <= now then refused = redis.call('HINCRBY', KEYS[1], 'refused', 1)
  else refused = math.max(number('refused'), 1) end
  wait = retry >= 0 and retry or math.min(1000 * 2 ^ (refused - 1), WINDOW)
  set('block', math.max(number('block'), now + wait))
  if not configured then
    local first, through = math.floor((now - WINDOW) / BUCKET), -1
    local flat = redis.call('HGETALL', KEYS[1])
    for i = 1, #flat, 2 do
      local at = string.match(flat[i], '^r:(%d+)$')
      if at and tonumber(at) >= first then through = through + tonumber(flat[i + 1]) end
    end
    redis.call('HINCRBY', KEYS[1], 'r:' .. bucket, -1)
    set('learned', math.max(through, SLOWEST))
    set('learned_at', now)
  end
elseif effect == 'unasked' then
  if redis.call('HEXISTS', KEYS[1], 'r:' .. bucket) == 1 then redis.call('HINCRBY', KEYS[1], 'r:' .. bucket, -1) end
  set('ahead', number('ahead') - number('pace'))
elseif effect == 'failed' or effect == 'fatal' then
  local fails = redis.call('HINCRBY', KEYS[1], 'fails', 1)
  redis.call('HSET', KEYS[1], 'why', ARGV[7], 'said', ARGV[8])
  local closed = number('open') == 0 or (redis.call('HGET', KEYS[1], 'key') or key) ~= key
  if probed or (closed and (effect == 'fatal' or fails >= threshold)) then
    local opens = redis.call('HINCRBY', KEYS[1], 'opens', 1)
    set('open', now + math.min(cooldown * 2 ^ (opens - 1), longest))
    if effect == 'fatal' then redis.call('HSET', KEYS[1], 'key', key) else redis.call('HDEL', KEYS[1], 'key') end
  end
end
return {refused, math.ceil(wait), number('open') > now and 1 or 0}
