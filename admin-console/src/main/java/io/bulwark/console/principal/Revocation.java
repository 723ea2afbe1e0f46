package io.bulwark.console.principal;

import io.bulwark.client.Bulwark;
import io.bulwark.client.ClusterStatus;
import io.bulwark.client.text.Quantity;
import io.bulwark.console.http.ApiException;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.id.PrincipalId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Consequences of a revocation.
 *
 * @param keys that all servers will refuse
 * @param grants that it will lose
 * @param volumes register volumes whose nodes complete the revocation of a client
 * @param unreachable nodes that do not answer now: they follow when they return
 * @param groups placement groups in which a node holds a slot
 * @param words the same for people
 */
record Revocation(
        String principal, int keys, int grants, int volumes, List<String> unreachable, int groups, List<String> words) {

    /**
     * Works out what a revocation would do now.
     *
     * @throws ApiException if it cannot be revoked
     */
    static Revocation of(PrincipalId id, PrincipalDetail detail, Bulwark client, ClusterStatus status) {
        return switch (id.kind()) {
            case CLIENT -> ofClient(id, detail, status);
            case NODE -> ofNode(id, detail, client);
            default -> throw ApiException.conflict(id + " is a replica: replace or remove it on the page of replicas");
        };
    }

    private static Revocation ofClient(PrincipalId id, PrincipalDetail detail, ClusterStatus status) {
        int volumes = (int) status.volumes().stream()
                .filter(each -> each.volume().kind() == VolumeKind.REGISTER)
                .count();
        List<String> silent = status.nodes().stream()
                .filter(node -> !node.reachable())
                .map(node -> "node-" + node.node())
                .toList();
        List<GrantView> grants = grants(detail.grants());
        List<String> words = new ArrayList<>(keys(id, detail));
        words.add(
                grants.isEmpty()
                        ? "It has no grants to lose."
                        : "It loses " + Quantity.count(grants.size(), "grant") + ". No object of it becomes visible or"
                                + " changes any more, even one in flight.");
        if (volumes > 0) {
            words.add("The nodes of " + Quantity.count(volumes, "register volume") + " decide or remove what it has"
                    + " prepared there. The job shows how many of "
                    + Quantity.count(status.nodes().size(), "node")
                    + " have done so.");
            if (!silent.isEmpty()) {
                words.add(String.join(", ", silent) + (silent.size() == 1 ? " does" : " do")
                        + " not answer now: the job waits, and they follow when they return.");
            }
        }
        words.add("This is for good: " + id + " cannot be registered again.");
        return new Revocation(
                id.toString(), detail.principal().keys().size(), grants.size(), volumes, silent, 0, words);
    }

    private static Revocation ofNode(PrincipalId id, PrincipalDetail detail, Bulwark client) {
        int groups = 0;
        for (Volume volume : client.nodes().map().volumes()) {
            groups += (int) volume.groups().stream()
                    .filter(group -> group.holders().contains(id.number()))
                    .count();
        }
        List<String> words = new ArrayList<>(keys(id, detail));
        words.add(
                groups == 0
                        ? "It holds no slot: no data are affected."
                        : "It holds a slot in " + Quantity.count(groups, "placement group") + ". Each of them will be"
                                + " able to take one fault less until another node has its slot. Drain it first.");
        words.add("This is for good: " + id + " cannot be registered again.");
        return new Revocation(id.toString(), detail.principal().keys().size(), 0, 0, List.of(), groups, words);
    }

    private static List<GrantView> grants(@Nullable List<GrantView> grants) {
        return grants == null ? List.of() : grants;
    }

    private static List<String> keys(PrincipalId id, PrincipalDetail detail) {
        return List.of("All servers refuse the "
                + Quantity.count(detail.principal().keys().size(), "key") + " of " + id + " within seconds.");
    }
}
