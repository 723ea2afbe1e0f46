package io.bulwark.client.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.NodeAddress;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.metadata.AccessKey;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.FaultPolicy;
import io.bulwark.protocol.metadata.Gateways;
import io.bulwark.protocol.metadata.Rights;
import io.bulwark.protocol.metadata.Scope;
import io.bulwark.protocol.metadata.SealedSecret;
import io.bulwark.protocol.metadata.ThreatPolicy;
import io.bulwark.protocol.metadata.Webhook;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.identity.Identity;
import java.security.SecureRandom;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class AuditTextTest {
    private static final PrincipalId ALICE = PrincipalId.client(7);
    private static final PrincipalKey KEY =
            Identity.generate(ALICE, new SecureRandom()).publicKey();

    private static void putPolicies(Map<Command.Administrative, String> texts) {
        texts.put(new Command.ChangePolicy("copies", 2), "volume set copies --faults 2");
        texts.put(new Command.ChangePolicy("copies", 1, 3), "volume set copies --faults 1..3");
        texts.put(
                new Command.SetVolumePolicy("default", new ProtectionPolicy(2, 3, 7, 1 << 20)),
                "volume set default: fp, f = 2, any 3 of 7, blocks of 1.0 MiB");
    }

    @Test
    void eachCommandIsSaidAsOperatorsGiveIt() {
        String key = KEY.text();
        Map<Command.Administrative, String> texts = new LinkedHashMap<>();
        texts.put(
                new Command.CreateVolume("fast", VolumeKind.OBJECT, new ProtectionPolicy(1, 2, 4, 1 << 20), 0, 0, 0),
                "volume create fast: objects, fp, f = 1, any 2 of 4, blocks of 1.0 MiB, a group for each node");
        texts.put(
                new Command.CreateVolume("r", VolumeKind.REGISTER, new ProtectionPolicy(1, 2, 4, 512), 9, 1, 2048),
                "volume create r: 9 register blocks, fp, f = 1, any 2 of 4, blocks of 512 B, 1 group, quota 2.0 KiB");
        texts.put(new Command.DeleteVolume("fast"), "volume rm fast");
        texts.put(
                new Command.ChangeHolder("fast", 3, 2, 1, 5),
                "move the slot of node-1 to node-5: volume fast, group 3, epoch 2");
        texts.put(
                new Command.SetFaultPolicy(new FaultPolicy(true, 30, 2)),
                "fault policy --remove auto --window 30 --per-day 2");
        texts.put(new Command.ForgiveNode(5), "fault forgive node-5");
        putPolicies(texts);
        texts.put(new Command.ChangeThreat(true, 2, "scans"), "threat raise --by 2: scans");
        texts.put(
                new Command.SetThreatPolicy(new ThreatPolicy(List.of(PrincipalId.client(20)), 60)),
                "threat policy --calm 60, feeds [client-20]");
        texts.put(new Command.AbortChange("fast", 3, 2), "node abort fast 3: the announced changes of epoch 2");
        texts.put(new Command.SetNode(new NodeAddress(5, "host", 7415)), "node add node-5 --address host:7415");
        texts.put(new Command.RemoveNode(5), "node remove node-5");
        texts.put(new Command.LiftSuspension(ALICE), "principal lift client-7");
        texts.put(new Command.AddPrincipal(ALICE, KEY), "principal add client-7, key " + key);
        texts.put(new Command.RotateKey(ALICE, List.of(KEY)), "principal rotate client-7, newest key first: " + key);
        texts.put(new Command.RevokePrincipal(ALICE), "principal revoke client-7");
        texts.put(
                new Command.InvitePrincipal(ALICE, KEY, 86_400_000),
                "principal invite client-7 until 1970-01-02T00:00:00Z, key " + key);
        texts.put(
                new Command.SetGrant(ALICE, new Scope.OfBucket("b"), new Rights(true, true, false)),
                "grant client-7 on bucket b: read, write");
        texts.put(new Command.SetGrant(ALICE, new Scope.All(), Rights.NONE), "grant client-7 on everything: none");
        texts.put(
                new Command.SetActFor(PrincipalId.client(1), ALICE, new Rights(true, false, true)),
                "grant act-for client-1 client-7: read, administer");
        texts.put(new Command.SetActFor(ALICE, ALICE, Rights.NONE), "grant act-for client-7 client-7: none");
        texts.put(
                new Command.SetAccessKey(
                        accessKey(), List.of(new SealedSecret(PrincipalId.client(2), Bytes.of(new byte[139])))),
                "access-key BWK23456789012345678 of client-7, backup, for b/a/, c/, until 1970-01-02T00:00:00Z,"
                        + " sealed for client-2");
        texts.put(new Command.RemoveAccessKey("BWK23456789012345678"), "access-key revoke BWK23456789012345678");
        texts.put(
                new Command.SetGateways(new Gateways(List.of(PrincipalId.client(2)), PrincipalId.client(0), ALICE)),
                "gateways: client-2; keeper: client-0; anonymous: client-7");
        Webhook webhook = new Webhook("hooks", "https://h.example/e", "K2345678901234567");
        texts.put(
                new Command.SetWebhook(webhook), "webhook hooks at https://h.example/e, access key K2345678901234567");
        texts.put(new Command.RemoveWebhook("hooks"), "webhook remove hooks");
        texts.put(new Command.SetGateways(Gateways.NONE), "gateways: none");
        texts.put(new Command.SetRelease(Bytes.of(new byte[32]), true), "release allow " + "00".repeat(32));
        texts.put(
                new Command.ChangeReplicas(
                        2,
                        List.of(PrincipalId.replica(1)),
                        List.of(new Member(PrincipalId.replica(4), KEY.encoded(), "host:7604"))),
                "replicas of configuration 2: out: replica-1; in: replica-4 at host:7604, key " + key);
        texts.forEach((command, text) -> assertThat(AuditText.of(command)).isEqualTo(text));
        Set<Class<?>> said = new HashSet<>();
        texts.keySet().forEach(each -> said.add(each.getClass()));
        assertThat(said)
                .containsExactlyInAnyOrderElementsOf(
                        kinds(Command.Administrative.class).toList());
    }

    private static AccessKey accessKey() {
        return new AccessKey(
                "BWK23456789012345678",
                ALICE,
                "backup",
                List.of(new AccessKey.Limit("b", "a/"), new AccessKey.Limit("c", "")),
                86_400_000);
    }

    private static Stream<Class<?>> kinds(Class<?> family) {
        return Stream.of(family.getPermittedSubclasses())
                .flatMap(kind -> kind.isSealed() ? kinds(kind) : Stream.of(kind));
    }
}
