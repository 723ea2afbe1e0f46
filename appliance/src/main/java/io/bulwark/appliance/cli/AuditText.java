package io.bulwark.appliance.cli;

import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.ordering.membership.Member;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Formats operators' actions in the words of the commands that perform them. */
final class AuditText {
    private AuditText() {}

    static String of(Command.Administrative command) {
        return switch (command) {
            case Command.CreateVolume c -> created(c);
            case Command.DeleteVolume c -> "volume rm " + c.name();
            case Command.ChangeHolder c ->
                "move the slot of node-" + c.from() + " to node-" + c.to() + ": volume " + c.volume() + ", group "
                        + c.group() + ", epoch " + c.epoch();
            case Command.AbortChange c ->
                "node abort " + c.volume() + " " + c.group() + ": the announced changes of epoch " + c.epoch();
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
                "grant " + c.client() + " on " + GrantCommand.text(c.scope()) + ": " + GrantCommand.text(c.rights());
            case Command.SetActFor c ->
                "grant act-for " + c.door() + " " + c.person() + ": " + GrantCommand.text(c.ceiling());
            case Command.SetRelease c ->
                "release " + (c.allowed() ? "allow " : "forget ") + c.hash().toHex();
            case Command.ChangeReplicas c -> replicas(c);
        };
    }

    private static String created(Command.CreateVolume command) {
        ProtectionPolicy policy = command.policy();
        String blocks = command.blocks() > 0 ? command.blocks() + " register blocks" : "objects";
        String quota = command.quotaBytes() > 0 ? ", quota " + Text.bytes(command.quotaBytes()) : "";
        return "volume create " + command.name() + ": " + blocks + ", " + VolumeText.of(policy) + ", "
                + (command.groups() == 0 ? "a group for each node" : Text.count(command.groups(), "group"))
                + quota;
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
