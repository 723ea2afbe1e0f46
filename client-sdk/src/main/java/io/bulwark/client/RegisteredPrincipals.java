package io.bulwark.client;

import io.bulwark.client.config.ChannelConfig;
import io.bulwark.client.config.ClientConfig;
import io.bulwark.client.config.GenesisFile;
import io.bulwark.client.config.JoinToken;
import io.bulwark.client.config.KnownPrincipals;
import io.bulwark.client.driver.OperationDriver;
import io.bulwark.client.error.InvalidRequestException;
import io.bulwark.client.error.Subject;
import io.bulwark.client.object.Deadline;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.metadata.Rights;
import io.bulwark.protocol.metadata.Scope;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.identity.Identity;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** The principals in the replicated metadata's registry, over those of the genesis file. */
final class RegisteredPrincipals implements Principals {
    private final BulwarkClient client;
    private final OperationDriver driver;
    private final ChannelConfig channels;

    RegisteredPrincipals(BulwarkClient client, OperationDriver driver, ChannelConfig channels) {
        this.client = client;
        this.driver = driver;
        this.channels = channels;
    }

    @Override
    public List<Entry> list() {
        SortedMap<PrincipalId, Entry> all = new TreeMap<>();
        if (channels instanceof ChannelConfig.Tls files) {
            GenesisFile.load(files.genesis())
                    .keys()
                    .forEach((principal, key) ->
                            all.put(principal, new Entry(principal, List.of(key), Optional.empty())));
        }
        PrincipalId after = PrincipalId.NOBODY;
        do {
            Reply.PrincipalList page = client.query(
                    Reply.PrincipalList.class,
                    new Query.ListPrincipals(KnownPrincipals.NO_VERSION, after, Query.PAGE_MAX),
                    Subject.NONE,
                    deadline());
            page.principals().forEach(entry -> all.put(entry.principal(), entry(entry)));
            after = page.next();
        } while (!after.equals(PrincipalId.NOBODY));
        return List.copyOf(all.values());
    }

    private static Entry entry(Reply.PrincipalEntry entry) {
        return new Entry(
                entry.principal(),
                entry.keys(),
                entry.invitedUntilMillis() == 0
                        ? Optional.empty()
                        : Optional.of(Instant.ofEpochMilli(entry.invitedUntilMillis())));
    }

    @Override
    public void add(PrincipalId principal, PrincipalKey key) {
        execute(new Command.AddPrincipal(principal, key));
    }

    @Override
    public void addWithoutKey(PrincipalId principal) {
        add(principal, Identity.generate(principal, new SecureRandom()).publicKey());
    }

    @Override
    public PrincipalId nextClient() {
        int last = list().stream()
                .map(Entry::principal)
                .filter(principal -> principal.kind() == PrincipalKind.CLIENT)
                .mapToInt(PrincipalId::number)
                .max()
                .orElse(0);
        return PrincipalId.client(Math.max(last, client.config().principal().number()) + 1);
    }

    @Override
    public List<ActFor> actFor(PrincipalId door) {
        List<ActFor> all = new ArrayList<>();
        PrincipalId after = PrincipalId.NOBODY;
        do {
            Reply.ActForList page = client.query(
                    Reply.ActForList.class,
                    new Query.ListActFor(door, after, Query.PAGE_MAX),
                    Subject.NONE,
                    deadline());
            page.entries().forEach(entry -> all.add(new ActFor(entry.person(), entry.ceiling())));
            after = page.next();
        } while (!after.equals(PrincipalId.NOBODY));
        return all;
    }

    @Override
    public void setActFor(PrincipalId door, PrincipalId person, Rights ceiling) {
        execute(new Command.SetActFor(door, person, ceiling));
    }

    @Override
    public JoinToken invite(PrincipalId principal, Duration validity) {
        if (!(channels instanceof ChannelConfig.Tls files)) {
            throw new InvalidRequestException(
                    "an insecure-loopback cluster has no keys, so it cannot invite " + "principals", Subject.NONE);
        }
        List<Entry> registered = list(); // by the replicas of now: who they are is known from here on
        GenesisFile genesis = GenesisFile.load(files.genesis());
        Map<PrincipalId, PrincipalKey> keys = new HashMap<>(genesis.keys());
        registered.stream()
                .filter(entry -> !entry.revoked())
                .forEach(entry -> keys.put(entry.principal(), entry.keys().getFirst()));
        Configuration now = client.replicasNow();
        Optional<JoinToken.Later> later = now.number() == 0
                ? Optional.empty()
                : Optional.of(new JoinToken.Later(
                        now,
                        now.members().stream()
                                .map(member -> keys.getOrDefault(member.replica(), new PrincipalKey(member.key())))
                                .toList()));
        SecureRandom random = new SecureRandom();
        byte[] seed = new byte[JoinToken.SEED_BYTES];
        random.nextBytes(seed);
        List<ClientConfig.Endpoint> endpoints = client.config().replicas();
        List<JoinToken.Replica> replicas = new ArrayList<>();
        for (int number = 0; number < endpoints.size(); number++) {
            replicas.add(new JoinToken.Replica(
                    endpoints.get(number), Objects.requireNonNull(keys.get(PrincipalId.replica(number)))));
        }
        JoinToken token = new JoinToken(
                genesis.digest(),
                principal,
                System.currentTimeMillis() + validity.toMillis(),
                Bytes.of(seed),
                replicas,
                later);
        execute(new Command.InvitePrincipal(
                principal, Identity.ofSeed(principal, token.seed(), random).publicKey(), token.expiresMillis()));
        return token;
    }

    @Override
    public void rotate(PrincipalId principal, PrincipalKey key, boolean keepOld) {
        List<PrincipalKey> keys = new ArrayList<>(List.of(key));
        if (keepOld) {
            list().stream()
                    .filter(entry -> entry.principal().equals(principal))
                    .flatMap(entry -> entry.keys().stream())
                    .filter(old -> !old.equals(key))
                    .findFirst()
                    .ifPresentOrElse(keys::add, () -> {
                        throw new InvalidRequestException(principal + " has no previous key", Subject.NONE);
                    });
        }
        execute(new Command.RotateKey(principal, keys));
    }

    @Override
    public void revoke(PrincipalId principal, Duration retryTimer, Consumer<RevocationProgress> listener) {
        execute(new Command.RevokePrincipal(principal));
        if (principal.kind() == PrincipalKind.CLIENT) {
            RevocationWaiter.over(driver, principal).await(client::refreshMap, this::revoked, retryTimer, listener);
        }
    }

    private Set<PrincipalId> revoked() {
        return list().stream().filter(Entry::revoked).map(Entry::principal).collect(Collectors.toSet());
    }

    @Override
    public List<Suspension> suspended() {
        List<Suspension> all = new ArrayList<>();
        PrincipalId after = PrincipalId.NOBODY;
        do {
            Reply.SuspensionList page = client.query(
                    Reply.SuspensionList.class,
                    new Query.ListSuspensions(after, Query.PAGE_MAX),
                    Subject.NONE,
                    deadline());
            page.entries()
                    .forEach(entry -> all.add(new Suspension(
                            entry.client(),
                            Instant.ofEpochMilli(entry.sinceMillis()),
                            entry.enforced(),
                            entry.evidence(),
                            entry.reports())));
            after = page.next();
        } while (!after.equals(PrincipalId.NOBODY));
        return all;
    }

    @Override
    public void lift(PrincipalId suspended) {
        execute(new Command.LiftSuspension(suspended));
    }

    @Override
    public List<Grant> grants(PrincipalId of) {
        return client.query(Reply.GrantList.class, new Query.ListGrants(of), Subject.NONE, deadline()).grants().stream()
                .map(entry -> new Grant(entry.scope(), entry.rights()))
                .toList();
    }

    @Override
    public void grant(PrincipalId to, Scope scope, Rights rights) {
        execute(new Command.SetGrant(to, scope, rights));
    }

    private void execute(Command command) {
        client.execute(Reply.Done.class, command, Subject.NONE);
        client.learn();
    }

    private static Deadline deadline() {
        return BulwarkClient.noDeadline();
    }
}
