package io.bulwark.client.text;

import io.bulwark.client.AuditLog;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.metadata.AccessKey;
import io.bulwark.protocol.metadata.AuditEntry;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Gateways;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.wire.Bytes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Formats operators' actions in the words of the commands that perform them. */
public final class AuditText {
    private static final String NOT_A_DIGEST = "the head is a digest of 64 hexadecimal digits";

    private AuditText() {}

    /** Returns the command line that gives this command. */
    public static String of(Command.Administrative command) {
        return switch (command) {
            case Command.CreateVolume c -> created(c);
            case Command.DeleteVolume c -> "volume rm " + c.name();
            case Command.ChangeHolder c ->
                "move the slot of node-" + c.from() + " to node-" + c.to() + ": volume " + c.volume() + ", group "
                        + c.group() + ", epoch " + c.epoch();
            case Command.AbortChange c ->
                "node abort " + c.volume() + " " + c.group() + ": the announced changes of epoch " + c.epoch();
            case Command.SetFaultPolicy c ->
                "fault policy --remove " + (c.policy().removes() ? "auto" : "ask") + " --window "
                        + c.policy().windowSeconds() + " --per-day "
                        + c.policy().removalsPerDay();
            case Command.ForgiveNode c -> "fault forgive node-" + c.node();
            case Command.SetVolumePolicy c -> "volume set " + c.volume() + ": " + of(c.policy());
            case Command.ChangePolicy c ->
                "volume set " + c.volume() + " --faults " + c.faults()
                        + (c.faults() < c.faultsMax() ? ".." + c.faultsMax() : "");
            case Command.ChangeThreat c ->
                "threat " + (c.raises() ? "raise" : "lower") + " --by " + c.levels() + ": " + c.reason();
            case Command.SetThreatPolicy c ->
                "threat policy --calm " + c.policy().calmSeconds() + ", feeds "
                        + c.policy().feeds();
            case Command.SetNode c ->
                "node add node-" + c.address().node() + " --address "
                        + c.address().host() + ":" + c.address().port();
            case Command.RemoveNode c -> "node remove node-" + c.node();
            case Command.LiftSuspension c -> "principal lift " + c.client();
            case Command.AddPrincipal c ->
                "principal add " + c.principal() + ", key " + c.key().text();
            case Command.RotateKey c ->
                "principal rotate " + c.principal() + ", newest key first: "
                        + c.keys().stream().map(PrincipalKey::text).collect(Collectors.joining(", "));
            case Command.RevokePrincipal c -> "principal revoke " + c.principal();
            case Command.InvitePrincipal c ->
                "principal invite " + c.principal() + " until " + Instant.ofEpochMilli(c.expiresMillis()) + ", key "
                        + c.key().text();
            case Command.SetGrant c ->
                "grant " + c.client() + " on " + c.scope().text() + ": "
                        + c.rights().text();
            case Command.SetActFor c ->
                "grant act-for " + c.door() + " " + c.person() + ": "
                        + c.ceiling().text();
            case Command.SetAccessKey c -> accessKey(c);
            case Command.RemoveAccessKey c -> "access-key revoke " + c.id();
            case Command.SetWebhook c ->
                "webhook " + c.webhook().name() + " at " + c.webhook().url() + ", access key "
                        + c.webhook().accessKey();
            case Command.RemoveWebhook c -> "webhook remove " + c.name();
            case Command.SetGateways c -> gateways(c.gateways());
            case Command.SetRelease c ->
                "release " + (c.allowed() ? "allow " : "forget ") + c.hash().toHex();
            case Command.ChangeReplicas c -> replicas(c);
        };
    }

    /** Returns a policy in words, such as {@code fp, f = 1, any 2 of 4, blocks of 1.0 MiB}. */
    public static String of(ProtectionPolicy policy) {
        String protocol = switch (policy.protocol()) {
            case FP -> "fp, f = ";
            case PASIS -> "pasis, verification " + policy.verification().text() + ", b = ";
            case MASKING -> "masking, b = ";
            case ARCHIVE -> "archive, f = ";
        };
        return protocol + policy.f() + ", any " + policy.m() + " of " + policy.n() + ", blocks of "
                + Quantity.bytes(policy.blockBytes());
    }

    /** Returns an entry under names that scripts rely on, in the order in which they are shown. */
    public static Map<String, Object> fields(AuditEntry entry) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("number", entry.number());
        fields.put("time", Instant.ofEpochMilli(entry.agreedMillis()).toString());
        fields.put("by", giver(entry));
        fields.put("onBehalfOf", entry.onBehalfOf().map(PrincipalId::toString).orElse(""));
        fields.put("command", of(entry.command()));
        fields.put(
                "key", entry.approval().map(approval -> approval.key().text()).orElse(""));
        fields.put(
                "signature",
                entry.approval().map(approval -> approval.signature().toHex()).orElse(""));
        return fields;
    }

    /** Returns who gave the command, in words. */
    public static String giver(AuditEntry entry) {
        return entry.isOwn() ? "the replicas" : entry.by().toString();
    }

    /** Returns the result of a verification, line by line. */
    public static List<String> of(AuditLog.Verification found) {
        List<String> lines = new ArrayList<>();
        found.problem().ifPresent(problem -> lines.add("WRONG: " + problem));
        lines.add((found.entries() == 1 ? "1 entry" : found.entries() + " entries")
                + (found.unsigned() == 0
                        ? " in order, all signed" + (found.own() == 0 ? "." : ofReplicas(found.own()))
                        : " in order, " + found.unsigned()
                                + " of them UNSIGNED, since insecure-loopback has no keys."));
        lines.add("Head: " + found.head().toHex());
        return lines;
    }

    private static String ofReplicas(long own) {
        return ", but for " + own + " that the replicas made by themselves, as operators let them.";
    }

    /**
     * Reads the digest that a verification reached.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static Bytes digest(String text) {
        try {
            Bytes digest = Bytes.of(HexFormat.of().parseHex(text));
            if (digest.length() == Hashes.LENGTH) {
                return digest;
            }
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(NOT_A_DIGEST, e);
        }
        throw new IllegalArgumentException(NOT_A_DIGEST);
    }

    private static String created(Command.CreateVolume command) {
        ProtectionPolicy policy = command.policy();
        String blocks = command.blocks() > 0 ? command.blocks() + " register blocks" : "objects";
        String quota = command.quotaBytes() > 0 ? ", quota " + Quantity.bytes(command.quotaBytes()) : "";
        return "volume create " + command.name() + ": " + blocks + ", " + of(policy) + ", "
                + (command.groups() == 0 ? "a group for each node" : Quantity.count(command.groups(), "group"))
                + quota;
    }

    private static String accessKey(Command.SetAccessKey command) {
        AccessKey key = command.key();
        String limits = key.limits().stream()
                .map(limit -> limit.bucket() + "/" + limit.prefix())
                .collect(Collectors.joining(", "));
        String readers = command.secrets().stream()
                .map(secret -> secret.reader().toString())
                .collect(Collectors.joining(", "));
        return "access-key " + key.id() + " of " + key.person()
                + (key.name().isEmpty() ? "" : ", " + key.name())
                + (limits.isEmpty() ? "" : ", for " + limits)
                + (key.expiresMillis() == 0 ? "" : ", until " + Instant.ofEpochMilli(key.expiresMillis()))
                + (readers.isEmpty() ? "" : ", sealed for " + readers);
    }

    private static String gateways(Gateways gateways) {
        String doors = gateways.doors().stream().map(PrincipalId::toString).collect(Collectors.joining(", "));
        return "gateways: " + (doors.isEmpty() ? "none" : doors)
                + (gateways.keeper().equals(PrincipalId.NOBODY) ? "" : "; keeper: " + gateways.keeper())
                + (gateways.anonymous().equals(PrincipalId.NOBODY) ? "" : "; anonymous: " + gateways.anonymous());
    }

    private static String replicas(Command.ChangeReplicas command) {
        List<Member> coming = command.coming();
        String out = command.leaving().stream().map(each -> "out: " + each).collect(Collectors.joining(", "));
        String in = coming.stream()
                .map(each -> "in: " + each.replica() + " at " + each.address() + ", key "
                        + new PrincipalKey(each.key()).text())
                .collect(Collectors.joining(", "));
        return "replicas of configuration " + command.number() + ": "
                + Stream.of(out, in).filter(each -> !each.isEmpty()).collect(Collectors.joining("; "));
    }
}
