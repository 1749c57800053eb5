-- May a call of this account be made now? Everything is decided on Redis' clock, in milliseconds.
-- KEYS: account hash, slots, paused, accounts
-- ARGV: permit, lease, rpm, tpm, parallel (0: none), tokens, key, account, names that may be paused...
-- Answers {verdict, wait in ms, detail, what was said (`open`, `probing`)}; `ok` comes with the bucket that the call was counted in.
local BUCKET, WINDOW = 500, 60000
-- A bucket is forgotten one bucket late, so that what left us evenly may arrive unevenly.
local KEPT = WINDOW / BUCKET + 1
-- Evenly, a little slower than allowed; at once, five calls or some seconds' worth: what waited comes in lumps.
local SLACK, BURST = 1.012, 0.08
-- Those who wait come back a little more densely than there is room: some in vain, but no room stays empty.
local DENSE = 0.8
local IN_PLACE, LONGEST_WAIT, PAUSED_WAIT, PROBE_WAIT = 1000, 120000, 15000, 2000

local permit, lease = ARGV[1], tonumber(ARGV[2])
local rpm, tpm, parallel = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local tokens, key, account = tonumber(ARGV[6]), ARGV[7], ARGV[8]
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local bucket = math.floor(now / BUCKET)

for i = 8, #ARGV do
  local note = redis.call('HGET', KEYS[3], ARGV[i])
  if note then
    local ends = tonumber(string.match(note, '"until": ?([%d.]+)'))
    local left = ends and math.ceil(ends * 1000 - now) or PAUSED_WAIT
    if left > 0 then return {'paused', math.min(left, PAUSED_WAIT), ARGV[i]} end
  end
end

local flat = redis.call('HGETALL', KEYS[1])
local h, old, counted = {}, {}, {}
local requests, spent = 0, 0
for i = 1, #flat, 2 do
  local name, value = flat[i], flat[i + 1]
  local kind = string.sub(name, 1, 2)
  if kind == 'r:' or kind == 't:' then
    local at, amount = tonumber(string.sub(name, 3)), tonumber(value)
    if at < bucket - KEPT then
      old[#old + 1] = name
    else
      counted[at] = counted[at] or {0, 0}
      if kind == 'r:' then
        counted[at][1] = amount
        requests = requests + amount
      else
        counted[at][2] = amount
        spent = spent + amount
      end
    end
  else
    h[name] = value
  end
end
local function number(name) return tonumber(h[name] or 0) end
local function text(n) return string.format('%.0f', n) end
local function live(name) return name and tonumber(redis.call('ZSCORE', KEYS[2], name) or 0) > now end

-- The same question again, because its answer was lost.
if live(permit) then return {'ok', 0, text(number('last'))} end

local opened, probing = number('open'), false
-- A breaker that a refused key opened holds for that key alone.
if opened > 0 and (h.key or key) == key then
  if now < opened then return {'open', opened - now, h.why or '', h.said or ''} end
  if live(h.probe) then return {'probing', PROBE_WAIT, h.why or '', h.said or ''} end
  probing = true
end

-- Nobody told us the rate, but a refusal did: what had gone through until then, and a tenth more each minute.
if rpm == 0 and h.learned then
  rpm = number('learned') * (1 + 0.1 * (now - number('learned_at')) / WINDOW)
end
local function leaves(index, room)
  local order = {}
  for at in pairs(counted) do order[#order + 1] = at end
  table.sort(order)
  for _, at in ipairs(order) do
    room = room + counted[at][index]
    if room >= 0 then return (at + KEPT + 1) * BUCKET end
  end
  return now
end

local at, interval = now, 0
local block = number('block')
if block > at then at = block end
if parallel > 0 then
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
  local mean = math.max(number('mean'), 100) / parallel
  interval = mean
  if redis.call('ZCARD', KEYS[2]) >= parallel then at = math.max(at, now + mean) end
end
local pace, ahead = 0, number('ahead')
if rpm > 0 then
  local allowed = math.max(math.floor(rpm), 1)
  pace = WINDOW / rpm * SLACK
  interval = math.max(interval, pace)
  if requests + 1 > allowed then at = math.max(at, leaves(1, allowed - requests - 1)) end
  at = math.max(at, ahead - (math.max(5, BURST * rpm) - 1) * pace)
end
if tpm > 0 then
  local wanted = math.min(tokens, tpm)
  interval = math.max(interval, wanted / tpm * WINDOW)
  if spent + wanted > tpm then at = math.max(at, leaves(2, tpm - spent - wanted)) end
end

if #old > 0 then redis.call('HDEL', KEYS[1], unpack(old)) end
redis.call('PEXPIRE', KEYS[1], 3600000)
if at > now then
  -- Each one that waits is told another moment: within the next second (`front`, they wait where they are, so room is
  -- taken the moment it appears) while there are such moments, behind everybody who was sent away (`queue`) otherwise.
  local step = math.max(interval * DENSE, 20)
  local moment, line = math.max(number('front'), at), 'front'
  if moment - now > IN_PLACE then
    moment, line = math.max(number('queue'), moment), 'queue'
    if moment - now > LONGEST_WAIT then moment = math.max(at, now + LONGEST_WAIT / 2) end
  end
  redis.call('HSET', KEYS[1], line, text(moment + step))
  return {block > now and 'blocked' or 'wait', math.ceil(moment - now), text(math.max(block - now, 0))}
end

redis.call('HINCRBY', KEYS[1], 'r:' .. bucket, 1)
if tokens > 0 then redis.call('HINCRBY', KEYS[1], 't:' .. bucket, tokens) end
redis.call('HSET', KEYS[1], 'last', bucket)
if pace > 0 then redis.call('HSET', KEYS[1], 'ahead', text(math.max(ahead, now) + pace), 'pace', text(pace)) end
if probing then redis.call('HSET', KEYS[1], 'probe', permit) end
redis.call('ZADD', KEYS[2], now + lease, permit)
redis.call('PEXPIRE', KEYS[2], 3600000)
redis.call('SADD', KEYS[4], account)
return {'ok', probing and 1 or 0, text(bucket)}
