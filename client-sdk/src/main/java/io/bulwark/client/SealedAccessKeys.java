package io.bulwark.client;

import io.bulwark.client.error.BulwarkException;
import io.bulwark.client.error.InvalidRequestException;
import io.bulwark.client.error.Subject;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.metadata.AccessKey;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Gateways;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.metadata.Rights;
import io.bulwark.protocol.metadata.Scope;
import io.bulwark.protocol.metadata.SealedSecret;
import io.bulwark.transport.identity.OwnKey;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The access keys in the replicated metadata. */
final class SealedAccessKeys implements AccessKeys {
    private static final Logger LOG = LoggerFactory.getLogger(SealedAccessKeys.class);

    private final BulwarkClient client;
    private final Principals principals;
    private final Supplier<Optional<OwnKey>> ownKey;
    private final SecureRandom random;

    SealedAccessKeys(
            BulwarkClient client, Principals principals, Supplier<Optional<OwnKey>> ownKey, SecureRandom random) {
        this.client = client;
        this.principals = principals;
        this.ownKey = ownKey;
        this.random = random;
    }

    @Override
    public List<Entry> list() {
        return list(PrincipalId.NOBODY);
    }

    @Override
    public List<Entry> list(PrincipalId person) {
        return Listing.all(after -> {
            Reply.AccessKeyList page = client.query(
                    Reply.AccessKeyList.class,
                    new Query.ListAccessKeys(person, after, Query.PAGE_MAX),
                    Subject.NONE,
                    BulwarkClient.noDeadline());
            List<Entry> entries = page.entries().stream()
                    .map(entry -> new Entry(entry.key(), entry.readers()))
                    .toList();
            return new Listing.Page<>(entries, page.next().isEmpty() ? null : page.next());
        });
    }

    @Override
    public Optional<Entry> find(String id) {
        return found(id)
                .key()
                .flatMap(key -> list(key.person()).stream()
                        .filter(entry -> entry.key().id().equals(id))
                        .findFirst());
    }

    private Reply.AccessKeyFound found(String id) {
        if (id.length() > AccessKey.ID_LENGTH_MAX) {
            throw new InvalidRequestException(
                    "no access key has an id of " + id.length() + " characters", Subject.NONE);
        }
        return client.query(
                Reply.AccessKeyFound.class, new Query.FindAccessKey(id), Subject.NONE, BulwarkClient.noDeadline());
    }

    private AccessKey existing(String id) {
        return found(id)
                .key()
                .orElseThrow(() -> new InvalidRequestException("there is no access key " + id, Subject.NONE));
    }

    @Override
    public Issued create(AccessKeySpec spec) {
        Gateways gateways = usableGateways();
        Map<PrincipalId, List<PrincipalKey>> readers = readersOf(gateways);
        PrincipalId person = spec.person().orElseGet(principals::addNextWithoutKey);
        try {
            if (spec.person().isEmpty()) {
                scopesOf(spec.limits()).forEach(scope -> principals.grant(person, scope, spec.rights()));
            }
            for (PrincipalId door : gateways.doors()) {
                if (spec.person().isEmpty() || !actsFor(door, person)) {
                    principals.setActFor(door, person, spec.rights());
                }
            }
            return issue(
                    new AccessKey(
                            AccessSecret.randomId(random),
                            person,
                            spec.name(),
                            spec.limits(),
                            spec.expires().map(Instant::toEpochMilli).orElse(0L)),
                    readers);
        } catch (BulwarkException e) {
            if (spec.person().isEmpty()) {
                revokeUnused(person);
            }
            throw e;
        }
    }

    private boolean actsFor(PrincipalId door, PrincipalId person) {
        return principals.actFor(door).stream().anyMatch(entry -> entry.person().equals(person));
    }

    private static List<Scope> scopesOf(List<AccessKey.Limit> limits) {
        return limits.isEmpty()
                ? List.of(new Scope.All())
                : limits.stream()
                        .map(AccessKey.Limit::bucket)
                        .distinct()
                        .<Scope>map(Scope.OfBucket::new)
                        .toList();
    }

    /** Takes back a person whose key could not be made; one who stays has rights that nobody uses. */
    private void revokeUnused(PrincipalId person) {
        try {
            execute(new Command.RevokePrincipal(person));
        } catch (BulwarkException e) {
            LOG.warn("{} was made for an access key that failed, and could not be revoked: {}", person, e.getMessage());
        }
    }

    private Issued issue(AccessKey key, Map<PrincipalId, List<PrincipalKey>> readers) {
        AccessSecret secret = AccessSecret.random(random);
        execute(new Command.SetAccessKey(key, sealed(secret, readers)));
        return new Issued(key, secret.text());
    }

    private List<SealedSecret> sealed(AccessSecret secret, Map<PrincipalId, List<PrincipalKey>> readers) {
        return readers.entrySet().stream()
                .map(reader -> new SealedSecret(reader.getKey(), secret.sealedFor(reader.getValue(), random)))
                .toList();
    }

    private Gateways usableGateways() {
        Gateways gateways = gateways();
        if (gateways.doors().isEmpty()) {
            throw new InvalidRequestException(
                    "no gateway is named yet, so nobody could use an access key; `bulwark s3 enable` names one",
                    Subject.NONE);
        }
        return gateways;
    }

    /** Returns the keys of all gateways and of the keeper. */
    private Map<PrincipalId, List<PrincipalKey>> readersOf(Gateways gateways) {
        Set<PrincipalId> readers = new TreeSet<>(gateways.doors());
        if (!gateways.keeper().equals(PrincipalId.NOBODY)) {
            readers.add(gateways.keeper());
        }
        Map<PrincipalId, List<PrincipalKey>> keys = principals.list().stream()
                .filter(entry -> readers.contains(entry.principal()))
                .filter(entry -> !entry.revoked())
                .collect(Collectors.toMap(
                        Principals.Entry::principal, Principals.Entry::keys, (first, ignored) -> first, TreeMap::new));
        for (PrincipalId door : gateways.doors()) {
            if (!keys.containsKey(door)) {
                throw new InvalidRequestException(
                        "the gateway " + door + " has no public key, so no secret can be sealed for it; "
                                + "insecure-loopback clusters have no access keys",
                        Subject.NONE);
            }
        }
        return keys;
    }

    @Override
    public Issued rotate(String id, Duration overlap) {
        AccessKey old = existing(id);
        if (overlap.isNegative()) {
            throw new InvalidRequestException("the old key cannot end before now", Subject.NONE);
        }
        Map<PrincipalId, List<PrincipalKey>> readers = readersOf(usableGateways());
        // The new key lasts as long as the old one would have, and is there before the old one's end is set.
        Issued issued = issue(
                new AccessKey(
                        AccessSecret.randomId(random), old.person(), old.name(), old.limits(), old.expiresMillis()),
                readers);
        long end = System.currentTimeMillis() + overlap.toMillis();
        if (old.expiresMillis() == 0 || end < old.expiresMillis()) {
            execute(new Command.SetAccessKey(
                    new AccessKey(old.id(), old.person(), old.name(), old.limits(), end), List.of()));
        }
        return issued;
    }

    @Override
    public void limit(String id, List<AccessKey.Limit> limits) {
        AccessKey old = existing(id);
        execute(new Command.SetAccessKey(
                new AccessKey(old.id(), old.person(), old.name(), limits, old.expiresMillis()), List.of()));
    }

    @Override
    public void revoke(String id) {
        PrincipalId person = existing(id).person();
        execute(new Command.RemoveAccessKey(id));
        Gateways gateways = gateways();
        if (list(person).isEmpty() && !gateways.anonymous().equals(person)) {
            for (PrincipalId door : gateways.doors()) {
                if (actsFor(door, person)) {
                    principals.setActFor(door, person, Rights.NONE);
                }
            }
        }
    }

    @Override
    public Optional<Issued> open(String id) {
        Reply.AccessKeyFound found = found(id);
        return found.key().flatMap(key -> opened(found).map(secret -> new Issued(key, secret.text())));
    }

    private Optional<AccessSecret> opened(Reply.AccessKeyFound found) {
        return found.box().isEmpty()
                ? Optional.empty()
                : ownKey.get().flatMap(own -> AccessSecret.open(found.box(), own));
    }

    @Override
    public Gateways gateways() {
        return client.query(Reply.GatewayList.class, new Query.ListGateways(), Subject.NONE, BulwarkClient.noDeadline())
                .gateways();
    }

    @Override
    public void addGateway(PrincipalId door) {
        Gateways before = gateways();
        Set<PrincipalId> doors = new TreeSet<>(before.doors());
        doors.add(door);
        if (doors.size() > Gateways.DOORS_MAX) {
            throw new InvalidRequestException(
                    "there are " + Gateways.DOORS_MAX + " gateways already; processes may share one identity",
                    Subject.NONE);
        }
        boolean keeps = client.onBehalfOf().isEmpty() && ownKey.get().isPresent();
        Gateways after = new Gateways(
                List.copyOf(doors), keeps ? client.config().principal() : before.keeper(), before.anonymous());
        if (!after.equals(before)) {
            execute(new Command.SetGateways(after));
        }
        Set<PrincipalId> known = new LinkedHashSet<>();
        principals.actFor(door).forEach(entry -> known.add(entry.person()));
        for (PrincipalId other : before.doors()) {
            for (Principals.ActFor entry : principals.actFor(other)) {
                if (!entry.person().equals(door) && known.add(entry.person())) {
                    principals.setActFor(door, entry.person(), entry.ceiling());
                }
            }
        }
    }

    @Override
    public void removeGateway(PrincipalId door) {
        Gateways before = gateways();
        execute(new Command.SetGateways(new Gateways(
                before.doors().stream().filter(each -> !each.equals(door)).toList(),
                before.keeper(),
                before.anonymous())));
        Set<PrincipalId> persons =
                list().stream().map(entry -> entry.key().person()).collect(Collectors.toSet());
        persons.add(before.anonymous());
        for (Principals.ActFor entry : principals.actFor(door)) {
            if (persons.contains(entry.person())) {
                principals.setActFor(door, entry.person(), Rights.NONE);
            }
        }
    }

    @Override
    public void setAnonymous(Optional<PrincipalId> person) {
        Gateways before = gateways();
        execute(new Command.SetGateways(
                new Gateways(before.doors(), before.keeper(), person.orElse(PrincipalId.NOBODY))));
        person.ifPresent(anonymous -> before.doors().stream()
                .filter(door -> !actsFor(door, anonymous))
                .forEach(door -> principals.setActFor(door, anonymous, AccessKeySpec.WRITE)));
    }

    @Override
    public Sealing seal(boolean again) {
        Map<PrincipalId, List<PrincipalKey>> readers = readersOf(usableGateways());
        List<String> sealed = new ArrayList<>();
        List<String> unopened = new ArrayList<>();
        for (Entry entry : list()) {
            String id = entry.key().id();
            if (!again && entry.readers().containsAll(readers.keySet())) {
                sealed.add(id);
                continue;
            }
            Optional<AccessSecret> secret = opened(found(id));
            if (secret.isPresent()) {
                execute(new Command.SetAccessKey(entry.key(), sealed(secret.get(), readers)));
                sealed.add(id);
            } else {
                unopened.add(id);
            }
        }
        return new Sealing(sealed, unopened);
    }

    private void execute(Command command) {
        client.execute(Reply.Done.class, command, Subject.NONE);
        client.learn();
    }
}
