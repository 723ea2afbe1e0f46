package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.metadata.Tables.PersonsKey;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Access keys of persons, and the gateways that use them. A door gets a sealed secret only while it may act for the
 * person: a key opens nothing that the door could not do without it. The limits of a key bind honest gateways.
 */
final class AccessKeys {
    private static final int GATEWAYS = 0;

    private final Tables tables;
    private final Grants grants;
    private final Suspensions suspensions;

    /** Stored access key. */
    record Entry(AccessKey key, List<SealedSecret> secrets) {
        void write(WireWriter out) {
            key.write(out);
            Lists.write(secrets, out, SealedSecret::write);
        }

        static Entry read(WireReader in) {
            return new Entry(AccessKey.read(in), Lists.read(in, Command.SetAccessKey.SECRETS_MAX, SealedSecret::read));
        }

        private Bytes boxOf(PrincipalId reader) {
            return secrets.stream()
                    .filter(secret -> secret.reader().equals(reader))
                    .map(SealedSecret::box)
                    .findFirst()
                    .orElse(Bytes.EMPTY);
        }

        private Reply.AccessKeyEntry shown() {
            return new Reply.AccessKeyEntry(
                    key, secrets.stream().map(SealedSecret::reader).toList());
        }
    }

    AccessKeys(Tables tables, Grants grants, Suspensions suspensions) {
        this.tables = tables;
        this.grants = grants;
        this.suspensions = suspensions;
    }

    /** @param by who has been found to administer the cluster, and is charged */
    void set(Command.SetAccessKey set, PrincipalId by) {
        AccessKey key = set.key();
        key.problem().ifPresent(problem -> {
            throw new CommandRefusal(MetadataError.BAD_ARGUMENT, problem);
        });
        requireJoined(key.person());
        set.secrets().forEach(secret -> requireJoined(secret.reader()));
        requireDistinct(set.secrets().stream().map(SealedSecret::reader));
        // Programs, logs and people know keys by their ids: nobody else may become the person of one.
        CommandRefusal.refuseUnless(
                !tables.endedKeys.contains(key.id()),
                MetadataError.BAD_ARGUMENT,
                "access key " + key.id() + " has ended, for good");
        Optional<Entry> before = tables.accessKeys.get(key.id());
        CommandRefusal.refuseUnless(
                before.isEmpty() || before.get().key().person().equals(key.person()),
                MetadataError.BAD_ARGUMENT,
                "access key " + key.id() + " belongs to another person, for good");
        CommandRefusal.refuseUnless(
                before.isPresent() || idsOf(key.person()).size() < Command.ACCESS_KEYS_MAX,
                MetadataError.LIMIT_REACHED,
                key.person() + " has " + Command.ACCESS_KEYS_MAX + " access keys already");
        CommandRefusal.refuseUnless(
                before.isPresent() || !set.secrets().isEmpty(),
                MetadataError.BAD_ARGUMENT,
                "the secret of access key " + key.id() + " is sealed for nobody");
        Entry entry = new Entry(
                key, set.secrets().isEmpty() ? before.map(Entry::secrets).orElse(List.of()) : set.secrets());
        tables.accessKeys.put(key.id(), entry);
        tables.accessKeysOf.put(new PersonsKey(key.person(), key.id()), true);
        tables.weight.add(by, Weight.KEY_BYTES + tables.accessKeys.encode(entry).length());
    }

    void remove(String id) {
        Optional<Entry> entry = tables.accessKeys.get(id);
        CommandRefusal.refuseUnless(entry.isPresent(), MetadataError.BAD_ARGUMENT, "there is no access key of this id");
        remove(entry.get().key().person(), id);
    }

    void set(Gateways gateways) {
        gateways.doors().forEach(this::requireJoined);
        requireDistinct(gateways.doors().stream());
        Stream.of(gateways.keeper(), gateways.anonymous())
                .filter(named -> !named.equals(PrincipalId.NOBODY))
                .forEach(this::requireJoined);
        tables.gateways.put(GATEWAYS, gateways);
    }

    Gateways gateways() {
        return tables.gateways.get(GATEWAYS).orElse(Gateways.NONE);
    }

    /**
     * Finds a key for a door, and for administrators. Who may not have it learns nothing of it: neither for a person who
     * may not act, nor after its end.
     */
    Reply.AccessKeyFound find(Query.FindAccessKey find, Authority asker, boolean administers) {
        return tables.accessKeys
                .get(find.id())
                .filter(entry -> administers || isFor(asker, entry.key()))
                .map(entry -> new Reply.AccessKeyFound(
                        Optional.of(entry.key()),
                        asker.onBehalfOf().isEmpty() ? entry.boxOf(asker.sender()) : Bytes.EMPTY))
                .orElseGet(() -> new Reply.AccessKeyFound(Optional.empty(), Bytes.EMPTY));
    }

    private boolean isFor(Authority asker, AccessKey key) {
        return asker.onBehalfOf().isEmpty()
                && tables.actFor.contains(new Tables.ActForKey(asker.sender(), key.person()))
                && grants.joined(key.person())
                && !suspensions.suspended(key.person())
                && (key.expiresMillis() == 0 || tables.totals().agreedMillis < key.expiresMillis());
    }

    /** A page of the keys of one person, or of all. */
    Reply.AccessKeyList list(Query.ListAccessKeys list) {
        List<Reply.AccessKeyEntry> page = new ArrayList<>();
        if (!list.person().equals(PrincipalId.NOBODY)) {
            for (String id : idsOf(list.person())) {
                if (id.compareTo(list.after()) > 0 && page.size() < list.limit()) {
                    tables.accessKeys.get(id).map(Entry::shown).ifPresent(page::add);
                }
            }
            return new Reply.AccessKeyList(
                    page, page.size() < list.limit() ? "" : page.getLast().key().id());
        }
        int bytes = 0;
        for (Table.Entry<String, Entry> entry : tables.accessKeys.from(list.after())) {
            if (entry.key().equals(list.after())) {
                continue;
            }
            if (page.size() == list.limit() || bytes > Query.PAGE_BYTES_MAX) {
                return new Reply.AccessKeyList(page, page.getLast().key().id());
            }
            bytes += tables.accessKeys.encode(entry.value()).length();
            page.add(entry.value().shown());
        }
        return new Reply.AccessKeyList(page, "");
    }

    /** Ends all keys of a revoked person; a revoked gateway is one no more. */
    void forget(PrincipalId revoked) {
        idsOf(revoked).forEach(id -> remove(revoked, id));
        Gateways left = gateways().without(revoked);
        if (!left.equals(gateways())) {
            tables.gateways.put(GATEWAYS, left);
        }
    }

    private void remove(PrincipalId person, String id) {
        tables.accessKeys.remove(id);
        tables.accessKeysOf.remove(new PersonsKey(person, id));
        tables.endedKeys.put(id, true);
    }

    private List<String> idsOf(PrincipalId person) {
        List<String> ids = new ArrayList<>();
        for (Table.Entry<PersonsKey, Boolean> entry : tables.accessKeysOf.from(new PersonsKey(person, ""))) {
            if (!entry.key().person().equals(person)) {
                break;
            }
            ids.add(entry.key().id());
        }
        return ids;
    }

    private void requireJoined(PrincipalId principal) {
        CommandRefusal.refuseUnless(
                principal.kind() == PrincipalKind.CLIENT,
                MetadataError.BAD_ARGUMENT,
                "access keys are for clients, not for " + principal);
        CommandRefusal.refuseUnless(grants.joined(principal), MetadataError.NO_SUCH_PRINCIPAL, principal.toString());
    }

    private static void requireDistinct(Stream<PrincipalId> principals) {
        CommandRefusal.refuseUnless(
                principals.allMatch(new HashSet<>()::add), MetadataError.BAD_ARGUMENT, "a principal is named twice");
    }
}
