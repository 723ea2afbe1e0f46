package io.bulwark.console;

import io.bulwark.client.Principals;
import io.bulwark.client.config.ClientConfig;
import io.bulwark.client.config.JoinToken;
import io.bulwark.client.error.AlreadyExistsException;
import io.bulwark.client.error.NotPermittedException;
import io.bulwark.client.error.Subject;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.metadata.Rights;
import io.bulwark.protocol.metadata.Scope;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.identity.Identity;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** A registry of principals in memory, by the rules of the replicas as far as pages show them. */
public final class FakePrincipals implements Principals {
    public static final Instant THEN = Instant.parse("2026-11-29T12:00:00Z");

    private final TreeMap<PrincipalId, Entry> entries = new TreeMap<>();
    private final Map<PrincipalId, Map<Scope, Rights>> grants = new TreeMap<>();
    private final Map<PrincipalId, Map<PrincipalId, Rights>> actFor = new TreeMap<>();
    private final Map<PrincipalId, Suspension> suspensions = new TreeMap<>();
    private boolean administers = true;

    /** Returns a fresh public key. */
    public static PrincipalKey key(PrincipalId principal) {
        return Identity.generate(principal, new SecureRandom()).publicKey();
    }

    public FakePrincipals withMember(PrincipalId principal) {
        entries.put(principal, new Entry(principal, List.of(key(principal)), Optional.empty()));
        return this;
    }

    public FakePrincipals withSuspension(Suspension suspension) {
        suspensions.put(suspension.client(), suspension);
        return this;
    }

    /** Makes the person one who may not administer. */
    public FakePrincipals asViewer() {
        administers = false;
        return this;
    }

    @Override
    public List<Entry> list() {
        return List.copyOf(entries.values());
    }

    @Override
    public void add(PrincipalId principal, PrincipalKey key) {
        requireNew(principal);
        entries.put(principal, new Entry(principal, List.of(key), Optional.empty()));
    }

    @Override
    public JoinToken invite(PrincipalId principal, Duration validity) {
        requireNew(principal);
        Instant until = THEN.plus(validity);
        entries.put(principal, new Entry(principal, List.of(key(principal)), Optional.of(until)));
        return new JoinToken(
                Bytes.of(new byte[32]),
                principal,
                until.toEpochMilli(),
                Bytes.of(new byte[JoinToken.SEED_BYTES]),
                IntStream.range(0, 4)
                        .mapToObj(number -> new JoinToken.Replica(
                                new ClientConfig.Endpoint("localhost", 7400 + number),
                                key(PrincipalId.replica(number))))
                        .toList(),
                Optional.empty());
    }

    @Override
    public void rotate(PrincipalId principal, PrincipalKey key, boolean keepOld) {
        requireAdministrator();
        List<PrincipalKey> keys = new ArrayList<>(List.of(key));
        if (keepOld) {
            keys.add(entry(principal).keys().getFirst());
        }
        entries.put(principal, new Entry(principal, keys, Optional.empty()));
    }

    @Override
    public void revoke(PrincipalId principal, Duration retryTimer, Consumer<RevocationProgress> listener) {
        requireAdministrator();
        entries.put(principal, new Entry(principal, List.of(), Optional.empty()));
        PrincipalId silent = PrincipalId.node(3);
        listener.accept(new RevocationProgress(4, 3, Map.of(), List.of(), List.of(silent)));
        listener.accept(new RevocationProgress(4, 4, Map.of(), List.of(), List.of()));
    }

    @Override
    public void addWithoutKey(PrincipalId client) {
        add(client, key(client));
    }

    @Override
    public PrincipalId nextClient() {
        return PrincipalId.client(entries.lastKey().number() + 1);
    }

    @Override
    public List<ActFor> actFor(PrincipalId door) {
        return actFor.getOrDefault(door, Map.of()).entrySet().stream()
                .map(each -> new ActFor(each.getKey(), each.getValue()))
                .toList();
    }

    @Override
    public void setActFor(PrincipalId door, PrincipalId person, Rights ceiling) {
        requireAdministrator();
        Map<PrincipalId, Rights> persons = actFor.computeIfAbsent(door, _ -> new TreeMap<>());
        if (ceiling.isNone()) {
            persons.remove(person);
        } else {
            persons.put(person, ceiling);
        }
    }

    @Override
    public List<Suspension> suspended() {
        requireAdministrator();
        return List.copyOf(suspensions.values());
    }

    @Override
    public void lift(PrincipalId client) {
        requireAdministrator();
        suspensions.remove(client);
    }

    @Override
    public List<Grant> grants(PrincipalId client) {
        requireAdministrator();
        return grants.getOrDefault(client, Map.of()).entrySet().stream()
                .map(each -> new Grant(each.getKey(), each.getValue()))
                .toList();
    }

    @Override
    public void grant(PrincipalId client, Scope scope, Rights rights) {
        requireAdministrator();
        Map<Scope, Rights> own = grants.computeIfAbsent(client, _ -> new LinkedHashMap<>());
        if (rights.isNone()) {
            own.remove(scope);
        } else {
            own.put(scope, rights);
        }
    }

    private Entry entry(PrincipalId principal) {
        return Optional.ofNullable(entries.get(principal)).orElseThrow();
    }

    private void requireNew(PrincipalId principal) {
        requireAdministrator();
        if (entries.containsKey(principal)) {
            throw new AlreadyExistsException(principal + " exists already", Subject.NONE);
        }
    }

    private void requireAdministrator() {
        if (!administers) {
            throw new NotPermittedException("alice may not administer", Subject.NONE);
        }
    }
}
