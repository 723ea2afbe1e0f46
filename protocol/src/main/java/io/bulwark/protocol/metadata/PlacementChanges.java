package io.bulwark.protocol.metadata;

import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.NodeAddress;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.id.PrincipalId;
import java.util.List;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * PlacementChanges of the slots of the placement groups (docs/epochs.md), and the nodes of the cluster. An
 * announced change opens the next epoch once n-f holders refuse this one, and counts until each holder has confirmed.
 */
final class PlacementChanges {
    /** Pattern of a host's name, or of an address in text. */
    private static final Pattern HOST = Pattern.compile("[0-9A-Za-z:][0-9A-Za-z._:%-]*");

    private final Tables tables;
    private final Volumes volumes;
    private final Registry registry;
    private final List<Withdrawable> reports;

    private record Place(Volume volume, int index, PlacementGroup group) {
        ProtectionPolicy policy() {
            return volume.policyOf(index);
        }
    }

    /** @param reports end with the slot of their reporter */
    PlacementChanges(Tables tables, Volumes volumes, Registry registry, List<? extends Withdrawable> reports) {
        this.tables = tables;
        this.volumes = volumes;
        this.registry = registry;
        this.reports = List.copyOf(reports);
    }

    void change(Command.ChangeHolder change) {
        Place place = place(volumes.byName(change.volume()).volume(), change.group());
        PlacementGroup group = place.group;
        CommandRefusal.refuseUnless(
                !place.volume.hasFixedHolders(),
                MetadataError.BAD_ARGUMENT,
                "slots of register volumes without verification cannot move");
        requireNow(group, change.epoch());
        requireNoPolicy(place.volume);
        CommandRefusal.refuseUnless(
                group.change().isEmpty(),
                MetadataError.CHANGE_PENDING,
                "epoch " + (group.epoch() + 1) + " is announced");
        int slot = group.slotOf(change.from());
        CommandRefusal.refuseUnless(
                slot >= 0,
                MetadataError.BAD_ARGUMENT,
                "node " + change.from() + " holds no slot, the holders are " + group.holders());
        CommandRefusal.refuseUnless(
                tables.nodes.contains(change.to())
                        && !registry.revoked(PrincipalId.node(change.to()))
                        && group.slotOf(change.to()) < 0,
                MetadataError.BAD_ARGUMENT,
                "node " + change.to() + " cannot take a slot, the holders are " + group.holders());
        TreeSet<Integer> without = new TreeSet<>(group.unconfirmed());
        without.add(slot);
        CommandRefusal.refuseUnless(
                without.size() <= place.policy().f(),
                MetadataError.TOO_MANY_UNCONFIRMED,
                "with this one the slots " + without + " have not confirmed, at most "
                        + place.policy().f() + " may");
        set(place, group.announced(slot, change.to()));
    }

    void abort(Command.AbortChange abort) {
        Place place = place(volumes.byName(abort.volume()).volume(), abort.group());
        PlacementGroup group = place.group;
        requireNow(group, abort.epoch());
        PlacementGroup.Change change = group.change()
                .orElseThrow(
                        () -> new CommandRefusal(MetadataError.BAD_ARGUMENT, "no change of the group is announced"));
        // Sealed slots stay sealed: the next epoch opens all the same, with the holders of this one.
        set(place, group.announced(change.slot(), group.holders().get(change.slot())));
    }

    /**
     * Adds a generation of groups with another policy. That of a register volume opens once the groups of the one before
     * have ended their epoch: no write begins in these from then on.
     *
     * @param belongs whether a node of the map is not revoked
     */
    void setPolicy(Command.SetVolumePolicy set, Replicas replicas, IntPredicate belongs) {
        Volume volume = volumes.byName(set.volume()).volume();
        if (volume.kind() == VolumeKind.REGISTER) {
            CommandRefusal.refuseUnless(
                    !volume.hasFixedHolders(),
                    MetadataError.BAD_ARGUMENT,
                    "registers without verification keep their policy: make another volume, and copy");
            CommandRefusal.refuseUnless(
                    !volumes.bounds(volume).follow(),
                    MetadataError.BAD_ARGUMENT,
                    set.volume() + " follows the threat level: set one number of faults first");
            requireUnchanging(volume, volume.policy().f());
        }
        volumes.changePolicy(set, replicas, belongs);
        if (volume.kind() == VolumeKind.REGISTER) {
            announceSameHolders(volume.id(), volume.generation());
        }
    }

    /** Returns the indexes of the groups of a generation. */
    private static IntStream groupsOf(Volume volume, int generation) {
        int first = volume.firstGroup(generation);
        return IntStream.range(first, first + volume.groupsOf(generation));
    }

    /** The newest generation opens once all groups of the one before have sealed their epoch, in one map with the next. */
    private void openGeneration(int id) {
        Volume volume = volumes.byId(id).volume();
        int before = volume.written();
        if (groupsOf(volume, before)
                .allMatch(index ->
                        isSealed(volume.policyOf(index), volume.groups().get(index)))) {
            groupsOf(volume, before).forEach(index -> {
                Place place = place(volumes.byId(id).volume(), index);
                open(place, place.group, 0);
            });
            volumes.open(volume);
        }
    }

    /**
     * Announces the next epoch of all groups of the newest generation, with the same holders and another f. As no slot changes its holder, the bad
     * slots of the next epoch are those that lie. Fewer faults need two epochs: in the first, versions become complete for
     * the lower number.
     */
    void changePolicy(Command.ChangePolicy change) {
        Volume volume = volumes.byName(change.volume()).volume();
        int faults = change.faults();
        CommandRefusal.refuseUnless(
                faults <= change.faultsMax(),
                MetadataError.BAD_ARGUMENT,
                "from " + faults + " to " + change.faultsMax() + " faults: the least number comes first");
        if (faults < change.faultsMax()) {
            nextPolicy(volume, faults);
            nextPolicy(volume, change.faultsMax());
            volumes.setBounds(volume, new FaultBounds(faults, change.faultsMax()));
            tables.totals().threatDueMillis = tables.totals().agreedMillis;
            return;
        }
        boolean followed = volumes.bounds(volume).follow();
        if (!followed || faults != volume.policy().f() || volumes.nextFaults(volume) != 0) {
            moveFaults(volume, faults);
        }
        volumes.setBounds(volume, FaultBounds.NONE);
    }

    /** Announces another number of faults, or gives an announced one up for the present one. */
    void moveFaults(Volume volume, int faults) {
        if (faults == volume.policy().f()) {
            giveUp(volume);
        } else {
            requireMovable(volume, faults);
            volumes.setPolicy(volume, volume.policy(), faults);
            announceSameHolders(volume.id(), volume.generation());
        }
    }

    /** Refuses another number of faults that the volume cannot have, or not now. */
    void requireMovable(Volume volume, int faults) {
        requireUnchanging(
                volume, Math.min(volume.policy().f(), nextPolicy(volume, faults).f()));
    }

    private static ProtectionPolicy nextPolicy(Volume volume, int faults) {
        ProtectionPolicy policy = volume.policy();
        CommandRefusal.refuseUnless(
                volume.kind() == VolumeKind.REGISTER && policy.protocol().isVersioned() && !volume.hasFixedHolders(),
                MetadataError.BAD_ARGUMENT,
                volume.kind() == VolumeKind.OBJECT
                        ? volume.name() + " holds objects: its policy follows no threat level, give one number"
                        : "registers under masking quorums or pasis change their faults, if they verify versions: "
                                + volume.name() + " is under " + policy.text() + ", make another volume and copy");
        return withFaults(policy, faults);
    }

    /** Nobody counts on a fresh slot; unconfirmed slots beyond the lesser number could keep a change from its end. */
    private void requireUnchanging(Volume volume, int unconfirmedMax) {
        requireNoPolicy(volume);
        for (int index = volume.firstGroup(volume.generation());
                index < volume.groups().size();
                index++) {
            PlacementGroup group = volume.groups().get(index);
            CommandRefusal.refuseUnless(
                    group.change().isEmpty() && group.fresh().isEmpty(),
                    MetadataError.CHANGE_PENDING,
                    "a holder of group " + index + " changes, or has not confirmed since: wait, or see `status`");
            CommandRefusal.refuseUnless(
                    group.unconfirmed().size() <= unconfirmedMax,
                    MetadataError.TOO_MANY_UNCONFIRMED,
                    "the slots " + group.unconfirmed() + " of group " + index + " have not confirmed the last change, "
                            + unconfirmedMax + " may: wait, or replace their nodes");
        }
    }

    private void requireNoPolicy(Volume volume) {
        CommandRefusal.refuseUnless(
                !volume.opening(),
                MetadataError.CHANGE_PENDING,
                "the policy " + volume.policy().text() + " of " + volume.name()
                        + " is not in use yet: wait until the holders before have sealed");
        int next = volumes.nextFaults(volume);
        CommandRefusal.refuseUnless(
                next == 0,
                MetadataError.CHANGE_PENDING,
                volume.name() + " is to tolerate " + next + " faults: wait, or give it up with `volume set "
                        + volume.name() + " --faults " + volume.policy().f() + "`");
    }

    private void announceSameHolders(int id, int generation) {
        groupsOf(volumes.byId(id).volume(), generation).forEach(index -> {
            Place place = place(volumes.byId(id).volume(), index);
            set(place, place.group.announced(0, place.group.holders().getFirst()));
        });
    }

    private static ProtectionPolicy withFaults(ProtectionPolicy policy, int faults) {
        try {
            return policy.withFaults(faults);
        } catch (IllegalArgumentException e) {
            throw new CommandRefusal(MetadataError.BAD_ARGUMENT, String.valueOf(e.getMessage()));
        }
    }

    /**
     * Groups that have sealed open all the same, with the present f. A group in which versions become complete for fewer
     * faults leaves that epoch, too: its clients may wait for holders that are away.
     */
    private void giveUp(Volume volume) {
        CommandRefusal.refuseUnless(
                volumes.nextFaults(volume) != 0,
                MetadataError.BAD_ARGUMENT,
                volume.name() + " tolerates " + volume.policy().f() + " already, and no other number is announced");
        volumes.setPolicy(volume, volume.policy(), 0);
        groupsOf(volume, volume.generation()).forEach(index -> {
            Place place = place(volumes.byId(volume.id()).volume(), index);
            PlacementGroup group = place.group;
            if (isSealed(place.policy(), group)) {
                open(place, group, 0);
            } else if (group.lowersTo() != 0 && group.change().isEmpty()) {
                set(place, group.announced(0, group.holders().getFirst()));
            }
        });
    }

    private static boolean isSealed(ProtectionPolicy policy, PlacementGroup group) {
        return group.change()
                .filter(change -> change.sealed().size() >= policy.writeQuorum())
                .isPresent();
    }

    /** Opens the next epoch of all groups once each has sealed this one: no group is ever in two policies. */
    private void openWithPolicy(int id, int faults) {
        Volume volume = volumes.byId(id).volume();
        List<PlacementGroup> newest = volume.newestGroups();
        if (!newest.stream().allMatch(group -> isSealed(volume.policy(), group))) {
            return;
        }
        boolean prepares = faults < volume.policy().f() && newest.stream().allMatch(group -> group.lowersTo() == 0);
        groupsOf(volume, volume.generation()).forEach(index -> {
            Place place = place(volumes.byId(id).volume(), index);
            open(place, place.group, prepares ? faults : 0);
        });
        if (!prepares) {
            volumes.setPolicy(volume, withFaults(volume.policy(), faults), 0);
        }
    }

    /** Announces the epoch that counts by fewer faults, once all but so many holders have each version that is complete. */
    private void lower(int id, int faults) {
        Volume volume = volumes.byId(id).volume();
        boolean ready = volume.newestGroups().stream()
                .allMatch(group -> group.lowersTo() == faults
                        && group.change().isEmpty()
                        && group.unconfirmed().size() <= faults);
        if (ready) {
            announceSameHolders(id, volume.generation());
        }
    }

    void seal(PrincipalId by, Command.SealEpoch seal) {
        Place place = place(volumes.byId(seal.volume()).volume(), seal.group());
        PlacementGroup group = place.group;
        if (seal.epoch() < group.epoch()) {
            return;
        }
        int slot = slotOf(group, by);
        requireNow(group, seal.epoch());
        CommandRefusal.refuseUnless(
                group.change().isPresent(), MetadataError.BAD_ARGUMENT, "no change of the group is announced");
        PlacementGroup sealed = group.sealed(slot);
        int generation = place.volume.generationOf(place.index);
        boolean opens = place.volume.opening() && generation == place.volume.written();
        int nextFaults = generation == place.volume.generation() ? volumes.nextFaults(place.volume) : 0;
        if (!opens && nextFaults == 0) {
            if (isSealed(place.policy(), sealed)) {
                open(place, sealed, 0);
            } else {
                set(place, sealed);
            }
            return;
        }
        set(place, sealed);
        if (opens) {
            openGeneration(place.volume.id());
        } else {
            openWithPolicy(place.volume.id(), nextFaults);
        }
    }

    private void open(Place place, PlacementGroup sealed, int lowersTo) {
        PlacementGroup opened = sealed.opened(lowersTo);
        sealed.holders().stream()
                .filter(node -> opened.slotOf(node) < 0)
                .forEach(gone ->
                        reports.forEach(each -> each.withdrawOf(PrincipalId.node(gone), place.volume, place.index)));
        set(place, opened);
    }

    void confirm(PrincipalId by, Command.ConfirmEpoch confirm) {
        Place place = place(volumes.byId(confirm.volume()).volume(), confirm.group());
        requireNow(place.group, confirm.epoch());
        set(place, place.group.confirmed(slotOf(place.group, by)));
        int nextFaults = volumes.nextFaults(place.volume);
        if (nextFaults != 0) {
            lower(place.volume.id(), nextFaults);
        }
    }

    /** Returns whether it can be the name of a host, or an address. */
    static boolean isHost(String host) {
        return HOST.matcher(host).matches();
    }

    /** From now on the map says that a node is there, or has moved there. */
    void setNode(NodeAddress address) {
        PrincipalId node = PrincipalId.node(address.node());
        CommandRefusal.refuseUnless(
                registry.joined(node),
                MetadataError.NO_SUCH_PRINCIPAL,
                node + (registry.isInvited(node) ? " is invited, and has not joined yet" : " has not joined"));
        CommandRefusal.refuseUnless(isHost(address.host()), MetadataError.BAD_ARGUMENT, "not a host name or address");
        if (tables.nodes.get(address.node()).filter(address::equals).isEmpty()) {
            CommandRefusal.refuseUnless(
                    tables.nodes.contains(address.node()) || volumes.nodes().size() < ClusterMap.NODES_MAX,
                    MetadataError.LIMIT_REACHED,
                    ClusterMap.NODES_MAX + " nodes");
            tables.nodes.put(address.node(), address);
            tables.totals().mapVersion++;
        }
    }

    /** A node that nobody counts on leaves for good. */
    void removeNode(int number, PrincipalId by) {
        for (Volume volume : volumes.map().volumes()) {
            for (PlacementGroup group : volume.groups()) {
                boolean announced =
                        group.change().filter(change -> change.node() == number).isPresent();
                CommandRefusal.refuseUnless(
                        !announced && group.slotOf(number) < 0,
                        MetadataError.NODE_IN_USE,
                        "node " + number + (announced ? " is to hold" : " holds") + " a slot of volume "
                                + volume.name());
            }
        }
        PrincipalId node = PrincipalId.node(number);
        registry.revoke(new Command.RevokePrincipal(node), by);
        reports.forEach(each -> each.withdrawOf(node));
        if (tables.nodes.contains(number)) {
            tables.nodes.remove(number);
            tables.totals().mapVersion++;
        }
    }

    /** Returns whether a node of the map has not been revoked. */
    boolean isActiveNode(int node) {
        return !registry.revoked(PrincipalId.node(node));
    }

    private void set(Place place, PlacementGroup group) {
        if (!group.equals(place.group)) {
            volumes.set(place.volume, place.index, group);
        }
    }

    private static Place place(Volume volume, int index) {
        CommandRefusal.refuseUnless(
                index < volume.groups().size(),
                MetadataError.BAD_ARGUMENT,
                "group " + index + " of " + volume.groups().size());
        return new Place(volume, index, volume.groups().get(index));
    }

    private static void requireNow(PlacementGroup group, long epoch) {
        CommandRefusal.refuseUnless(
                epoch == group.epoch(),
                MetadataError.STALE_EPOCH,
                "the group is in epoch " + group.epoch() + ", not " + epoch);
    }

    private static int slotOf(PlacementGroup group, PrincipalId node) {
        int slot = group.slotOf(node);
        CommandRefusal.refuseUnless(
                slot >= 0, MetadataError.BAD_ARGUMENT, node + " holds no slot, the holders are " + group.holders());
        return slot;
    }
}
