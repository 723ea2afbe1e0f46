package io.bulwark.protocol.metadata;

import static io.bulwark.protocol.metadata.MetadataFixture.ALICE;
import static io.bulwark.protocol.metadata.MetadataFixture.BOB;
import static io.bulwark.protocol.metadata.MetadataFixture.READER;
import static io.bulwark.protocol.metadata.MetadataFixture.STRANGER;
import static io.bulwark.protocol.metadata.MetadataFixture.assertFailed;
import static io.bulwark.protocol.metadata.Samples.KEY;
import static io.bulwark.protocol.metadata.Samples.OTHER_KEY;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.metadata.MetadataFixture.User;
import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class InvitationTest {
    private static final PrincipalKey FRESH = Signer.fresh().key();
    private static final long HOUR_MILLIS = 3_600_000;

    private final MetadataFixture rig = MetadataFixture.ready();
    private final User alice = rig.user(ALICE, 0);

    private Command.InvitePrincipal invitation(PrincipalKey key) {
        return new Command.InvitePrincipal(STRANGER, key, rig.nowMillis + HOUR_MILLIS);
    }

    @PlantedBug(
            in = Permissions.class,
            rule = "an invited client has no rights before it joins",
            replace = "!tables.invitations.contains(by.sender()) || mayWhenInvited(by, command),",
            with = "by.sender().number() >= 0,")
    @Test
    void whoIsInvitedMayOnlyGiveItselfAKeyAndThenBelongs() {
        alice.done(invitation(KEY));
        alice.done(new Command.SetGrant(STRANGER, new Scope.All(), new Rights(true, true, true)));
        User stranger = rig.user(STRANGER, 0);
        for (Command command : List.of(
                new Command.CreateBucket("music", "main", Versioning.LATEST_ONLY, 0),
                new Command.RotateKey(BOB, List.of(FRESH)),
                new Command.RevokePrincipal(BOB),
                new Command.SetGrant(READER, new Scope.All(), Rights.NONE),
                new Command.InvitePrincipal(STRANGER, FRESH, rig.nowMillis + HOUR_MILLIS))) {
            stranger.refused(MetadataError.NOT_AUTHORISED, command);
        }
        assertFailed(rig.ask(STRANGER, new Query.GetMap()), MetadataError.NOT_AUTHORISED);
        assertFailed(rig.ask(STRANGER, new Query.ListBuckets("", 10)), MetadataError.NOT_AUTHORISED);
        assertFailed(
                rig.submit(STRANGER, new Submission.OpenSession(MetadataFixture.filled(16, 77), rig.volume)),
                MetadataError.NOT_AUTHORISED);
        assertThat(rig.ask(PrincipalId.node(0), new Query.GrantOf(rig.volume, STRANGER)))
                .isEqualTo(new Reply.Granted(false, false));
        assertThat(rig.ask(STRANGER, new Query.GetGenesis())).isEqualTo(new Reply.GenesisTold(GenesisKeys.NONE));
        assertThat(rig.ask(STRANGER, new Query.ListPrincipals(-1, PrincipalId.NOBODY, 10)))
                .isInstanceOf(Reply.PrincipalList.class);

        stranger.refused(MetadataError.BAD_ARGUMENT, new Command.RotateKey(STRANGER, List.of(KEY)));
        stranger.refused(MetadataError.BAD_ARGUMENT, new Command.RotateKey(STRANGER, List.of(FRESH, KEY)));
        stranger.done(new Command.RotateKey(STRANGER, List.of(FRESH)));
        assertThat(rig.ask(STRANGER, new Query.ListPrincipals(-1, PrincipalId.NOBODY, 10)))
                .isEqualTo(new Reply.PrincipalList(
                        2, List.of(new Reply.PrincipalEntry(STRANGER, List.of(FRESH), 0)), PrincipalId.NOBODY));
        stranger.done(new Command.CreateBucket("music", "main", Versioning.LATEST_ONLY, 0));
        alice.refused(MetadataError.PRINCIPAL_EXISTS, invitation(OTHER_KEY));
    }

    @PlantedBug(
            in = Registry.class,
            rule = "an invitation expires",
            replace = "tables.invitations.get(principal).orElse(Long.MAX_VALUE) > tables.totals().agreedMillis,",
            with = "tables.totals().agreedMillis >= 0,")
    @Test
    void anInvitationEndsInTimeAndMayBeMadeAnew() {
        alice.done(invitation(KEY));
        rig.nowMillis += HOUR_MILLIS;
        assertFailed(
                rig.submit(STRANGER, new Submission.OpenSession(MetadataFixture.filled(16, 78), 0)),
                MetadataError.NOT_AUTHORISED);
        assertFailed(rig.ask(STRANGER, new Query.GetGenesis()), MetadataError.NOT_AUTHORISED);
        alice.refused(MetadataError.KEY_USED, invitation(KEY));
        alice.done(invitation(OTHER_KEY));
        rig.user(STRANGER, 0).done(new Command.RotateKey(STRANGER, List.of(FRESH)));
        rig.nowMillis += HOUR_MILLIS;
        assertThat(rig.ask(STRANGER, new Query.GetMap())).isInstanceOf(Reply.Map.class);
    }

    @Test
    void anInvitationIsTakenBackByARevocation() {
        alice.done(invitation(KEY));
        alice.done(new Command.RevokePrincipal(STRANGER));
        assertFailed(rig.ask(STRANGER, new Query.GetGenesis()), MetadataError.NOT_AUTHORISED);
        alice.refused(MetadataError.PRINCIPAL_EXISTS, invitation(OTHER_KEY));
    }

    @Test
    void onlyOperatorsInviteOnlyWhoIsNotThereAndNotForEver() {
        User reader = rig.user(READER, 0);
        reader.refused(MetadataError.NOT_AUTHORISED, invitation(KEY));
        long soon = rig.nowMillis + HOUR_MILLIS;
        alice.refused(MetadataError.PRINCIPAL_EXISTS, new Command.InvitePrincipal(BOB, KEY, soon));
        alice.refused(MetadataError.BAD_ARGUMENT, new Command.InvitePrincipal(PrincipalId.replica(9), KEY, soon));
        alice.refused(MetadataError.BAD_ARGUMENT, new Command.InvitePrincipal(STRANGER, KEY, rig.nowMillis));
        alice.refused(
                MetadataError.BAD_ARGUMENT,
                new Command.InvitePrincipal(
                        STRANGER, KEY, rig.nowMillis + Command.INVITATION_MILLIS_MAX + HOUR_MILLIS));
        alice.done(invitation(KEY));
        assertThat(MetadataStateMachine.restore(rig.machine.snapshot()).digest())
                .isEqualTo(rig.machine.digest());
    }
}
