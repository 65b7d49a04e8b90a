import { createHash } from 'node:crypto';

/** A Lua script, which the store keeps under its digest. */
export interface Script {
  readonly text: string;
  readonly digest: string;
}

function script(text: string): Script {
  return { text, digest: createHash('sha1').update(text).digest('hex') };
}

/**
 * Keys: those of values, and last the one of the claim. Argument: how long a claim lasts, in ms. Returns the index of the first key that has
 * a value, and the value; otherwise 0 if the key was claimed, and -1 if another process has claimed it.
 */
export const findScript = script(`
for i = 1, #KEYS - 1 do
  local value = redis.call('GET', KEYS[i])
  if value then return {i, value} end
end
if redis.call('SET', KEYS[#KEYS], '', 'NX', 'PX', ARGV[1]) then return {0} end
return {-1}
`);

/**
 * Key: a hash of one caller. Its fields are the level of each bucket (\`b1\`, …), their time in ms (\`at\`), a version, and the slots of each
 * process. Arguments: the process, a new version, how long slots count in ms, the number of buckets, five numbers for each bucket as in
 * \`BucketUpdate\`, and the slots of each limit. Returns the version, 1 if what was wanted was taken and else 0, the levels, and
 * the slots of the other processes. The key expires when all buckets are full and no slots count.
 */
export const countScript = script(`
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local own, lasts, buckets = 'p' .. ARGV[1], tonumber(ARGV[3]), tonumber(ARGV[4])
local at = tonumber(redis.call('HGET', KEYS[1], 'at') or now)
local version = redis.call('HGET', KEYS[1], 'v') or ARGV[2]
local expiry = 1000
local granted, levels, sizes, rates, wants = true, {}, {}, {}, {}
local fields = {'at', string.format('%.3f', now), 'v', version}
local arg = 5
for i = 1, buckets do
  local used, known, size, rate = tonumber(ARGV[arg]), tonumber(ARGV[arg + 1]), tonumber(ARGV[arg + 2]), tonumber(ARGV[arg + 3])
  local wanted = tonumber(ARGV[arg + 4])
  arg = arg + 5
  local level = tonumber(redis.call('HGET', KEYS[1], 'b' .. i))
  if level then level = level + math.max(0, now - at) * rate / 60000 else level = known end
  level = math.max(-size, math.min(size, math.min(size, level) - used))
  granted = granted and (wanted == 0 or level >= math.min(wanted, size))
  levels[i], sizes[i], rates[i], wants[i] = level, size, rate, wanted
end
local result = {version, granted and 1 or 0}
for i = 1, buckets do
  local level = granted and math.max(-sizes[i], levels[i] - wants[i]) or levels[i]
  expiry = math.max(expiry, (sizes[i] - level) * 60000 / rates[i])
  local text = string.format('%.6f', level)
  table.insert(fields, 'b' .. i)
  table.insert(fields, text)
  table.insert(result, text)
end
local elsewhere, taken, slots = {}, false, {string.format('%.0f', now + lasts)}
for i = arg, #ARGV do
  elsewhere[i - arg + 1] = 0
  taken = taken or tonumber(ARGV[i]) > 0
  table.insert(slots, ARGV[i])
end
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
  if string.sub(all[i], 1, 1) == 'p' and all[i] ~= own then
    local parts = {}
    for part in string.gmatch(all[i + 1], '[^ ]+') do table.insert(parts, tonumber(part)) end
    if parts[1] < now then redis.call('HDEL', KEYS[1], all[i])
    else
      expiry = math.max(expiry, parts[1] - now)
      for j = 1, #elsewhere do elsewhere[j] = elsewhere[j] + (parts[j + 1] or 0) end
    end
  end
end
if taken then
  table.insert(fields, own)
  table.insert(fields, table.concat(slots, ' '))
  expiry = math.max(expiry, lasts)
else redis.call('HDEL', KEYS[1], own) end
redis.call('HSET', KEYS[1], unpack(fields))
redis.call('PEXPIRE', KEYS[1], math.ceil(expiry) + 1000)
for j = 1, #elsewhere do table.insert(result, tostring(elsewhere[j])) end
return result
`);
