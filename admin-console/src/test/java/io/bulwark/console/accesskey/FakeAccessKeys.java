package io.bulwark.console.accesskey;

import io.bulwark.client.AccessKeySpec;
import io.bulwark.client.AccessKeys;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.AccessKey;
import io.bulwark.protocol.metadata.Gateways;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** Access keys in memory, by the rules of the replicas as far as pages show them. */
final class FakeAccessKeys implements AccessKeys {
    static final PrincipalId GATEWAY = PrincipalId.client(15);
    static final Instant THEN = Instant.parse("2026-11-29T12:00:00Z");

    final List<AccessKeySpec> asked = new ArrayList<>();
    Gateways gateways = new Gateways(List.of(GATEWAY), PrincipalId.client(0), PrincipalId.client(20));
    private final TreeMap<String, AccessKey> keys = new TreeMap<>();
    private int next;

    @Override
    public List<Entry> list() {
        return keys.values().stream()
                .map(key -> new Entry(key, List.of(PrincipalId.client(0), GATEWAY)))
                .toList();
    }

    @Override
    public List<Entry> list(PrincipalId person) {
        return list().stream()
                .filter(entry -> entry.key().person().equals(person))
                .toList();
    }

    @Override
    public Optional<Entry> find(String id) {
        return list().stream().filter(entry -> entry.key().id().equals(id)).findFirst();
    }

    @Override
    public Issued create(AccessKeySpec spec) {
        asked.add(spec);
        return issue(
                spec.person().orElse(PrincipalId.client(30 + next)),
                spec.name(),
                spec.limits(),
                spec.expires().map(Instant::toEpochMilli).orElse(0L));
    }

    private Issued issue(PrincipalId person, String name, List<AccessKey.Limit> limits, long expires) {
        AccessKey key = new AccessKey("BWKFAKE2345678901" + (100 + next), person, name, limits, expires);
        next++;
        keys.put(key.id(), key);
        return new Issued(key, "secret-of-" + key.id());
    }

    @Override
    public Issued rotate(String id, Duration overlap) {
        AccessKey old = find(id).map(Entry::key).orElseThrow();
        keys.put(
                id,
                new AccessKey(
                        id,
                        old.person(),
                        old.name(),
                        old.limits(),
                        THEN.plus(overlap).toEpochMilli()));
        return issue(old.person(), old.name(), old.limits(), 0);
    }

    @Override
    public void limit(String id, List<AccessKey.Limit> limits) {
        AccessKey old = find(id).map(Entry::key).orElseThrow();
        keys.put(id, new AccessKey(id, old.person(), old.name(), limits, old.expiresMillis()));
    }

    @Override
    public void revoke(String id) {
        keys.remove(id);
    }

    @Override
    public Optional<Issued> open(String id) {
        throw new UnsupportedOperationException("the console opens no secret");
    }

    @Override
    public Gateways gateways() {
        return gateways;
    }

    @Override
    public void addGateway(PrincipalId door) {
        throw new UnsupportedOperationException("the console names no gateway");
    }

    @Override
    public void removeGateway(PrincipalId door) {
        throw new UnsupportedOperationException("the console names no gateway");
    }

    @Override
    public void setAnonymous(Optional<PrincipalId> person) {
        throw new UnsupportedOperationException("the console names no person");
    }

    @Override
    public Sealing seal(boolean again) {
        throw new UnsupportedOperationException("the console seals nothing");
    }
}
