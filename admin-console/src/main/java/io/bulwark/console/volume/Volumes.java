package io.bulwark.console.volume;

import io.bulwark.client.BucketInfo;
import io.bulwark.client.Bulwark;
import io.bulwark.client.ClusterStatus;
import io.bulwark.client.PolicyChange;
import io.bulwark.client.PolicyChoice;
import io.bulwark.client.RefillResult;
import io.bulwark.client.VolumeInfo;
import io.bulwark.client.VolumeSpec;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.client.error.CancelledException;
import io.bulwark.client.error.NoSuchVolumeException;
import io.bulwark.client.error.Subject;
import io.bulwark.console.PlacementView;
import io.bulwark.console.StatusView;
import io.bulwark.console.access.SignedIn;
import io.bulwark.console.http.ApiException;
import io.bulwark.console.http.EntityTag;
import io.bulwark.console.job.Job;
import io.bulwark.console.job.Jobs;
import io.bulwark.console.live.ClusterWatch;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Work on volumes that the API and the pages share. */
@Component
class Volumes {
    /** Bound of a register volume; figures beyond it would overflow. */
    private static final long BYTES_MAX = 1L << 60;

    private final SignedIn signedIn;
    private final ClusterWatch watch;
    private final Jobs jobs;

    Volumes(SignedIn signedIn, ClusterWatch watch, Jobs jobs) {
        this.jobs = jobs;
        this.signedIn = signedIn;
        this.watch = watch;
    }

    /** Returns the number of nodes of the cluster. */
    int nodes() {
        return watch.now().status().nodes().size();
    }

    /**
     * Request for a new volume. What is left out has the default of {@code bulwark volume create}.
     *
     * @param kind {@code object} or {@code register}; object if left out
     * @param blocks of a register volume
     * @param groups the number of placement groups; one per node if left out
     * @param quotaBytes quota for the bytes of all objects; none if left out
     */
    record Creation(
            @Nullable String name,
            @Nullable String kind,
            @Nullable String protocol,
            @Nullable String verification,
            @Nullable Integer faults,
            @Nullable Integer faultsMax,
            @Nullable Integer dataFragments,
            @Nullable Integer fragments,
            @Nullable Integer blockBytes,
            @Nullable Long blocks,
            @Nullable Integer groups,
            @Nullable Long quotaBytes) {

        VolumeSpec spec() {
            if (name == null) {
                throw ApiException.badField("name", "a volume has a name");
            }
            boolean registers = isRegisters();
            if (registers ? blocks == null || blocks < 1 : blocks != null) {
                throw ApiException.badField(
                        "blocks", "a register volume has 1 or more blocks; an object volume has none");
            }
            PolicyChoice choice =
                    new PolicyChoice(protocol, verification, faults, faultsMax, dataFragments, fragments, blockBytes);
            VolumeSpec spec = registers
                    ? VolumeSpec.registers(name, checked(choice::policy), blocks == null ? 0 : blocks)
                    : VolumeSpec.objects(name, checked(choice::objectPolicy));
            if (spec.blocks() > BYTES_MAX / spec.policy().blockBytes()) {
                throw ApiException.badField("blocks", "a register volume has at most 1 EiB");
            }
            int wantedGroups = groups == null ? 0 : groups;
            if (wantedGroups < 0 || wantedGroups > Volume.GROUPS_MAX) {
                throw ApiException.badField("groups", "a volume has at most " + Volume.GROUPS_MAX + " groups");
            }
            long quota = quotaBytes == null ? 0 : quotaBytes;
            if (quota < 0) {
                throw ApiException.badField("quotaBytes", "a quota is not negative");
            }
            return spec.withGroups(wantedGroups).withQuota(quota);
        }

        private boolean isRegisters() {
            return switch (kind == null ? "object" : kind) {
                case "object" -> false;
                case "register" -> true;
                default -> throw ApiException.badField("kind", "there are volumes of kind object and register");
            };
        }

        private static ProtectionPolicy checked(Supplier<ProtectionPolicy> policy) {
            try {
                return policy.get();
            } catch (IllegalArgumentException e) {
                throw ApiException.badField("policy", String.valueOf(e.getMessage()));
            }
        }
    }

    /**
     * Change of a volume: the Byzantine nodes that it is to tolerate in each placement group, and of an object volume the
     * other numbers of its policy.
     *
     * @param faultsMax if given, the threat level moves the number up to it
     */
    record Change(
            @Nullable Integer faults,
            @Nullable Integer faultsMax,
            @Nullable Integer dataFragments,
            @Nullable Integer fragments) {}

    List<VolumeView> list() {
        Bulwark client = signedIn.client();
        List<BucketInfo> buckets = client.buckets();
        return client.volumes().stream()
                .map(volume -> VolumeView.of(volume, buckets))
                .toList();
    }

    VolumeDetail find(String name) {
        Bulwark client = signedIn.client();
        VolumeInfo volume = client.volumes().stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new NoSuchVolumeException("no volume has this name", Subject.volume(name)));
        List<PlacementView> groups = PlacementView.of(client.nodes().map()).stream()
                .filter(group -> group.volume().equals(name))
                .toList();
        return new VolumeDetail(
                VolumeView.of(volume, client.buckets()),
                status(name).map(Volumes::state).orElse(null),
                groups);
    }

    VolumeView create(Creation wanted) {
        Bulwark client = signedIn.client();
        VolumeInfo made = client.createVolume(wanted.spec());
        return VolumeView.of(made, List.of());
    }

    private ProtectionPolicy policyOf(String name) {
        return signedIn.client().volumes().stream()
                .filter(volume -> volume.name().equals(name))
                .findFirst()
                .map(VolumeInfo::policy)
                .orElseThrow();
    }

    /**
     * Announces another number of faults of a register volume, or gives a volume another policy; returns the volume as it is
     * now.
     *
     * @param ifMatch tag of the volume that the client read; null for any
     */
    VolumeView change(String name, Change wanted, @Nullable String ifMatch) {
        VolumeView before = find(name).volume();
        if (ifMatch != null) {
            EntityTag.of(before).require(ifMatch, "volume " + name);
        }
        if (wanted.faults() == null && wanted.dataFragments() == null && wanted.fragments() == null) {
            throw ApiException.badField("faults", "give faults, dataFragments or fragments");
        }
        PolicyChange change = new PolicyChange(wanted.faults(), wanted.dataFragments(), wanted.fragments());
        boolean alone = !before.isObject() && change.isOfFaultsAlone(policyOf(name));
        if (wanted.faultsMax() == null && !alone) {
            signedIn.client().changePolicy(name, change);
        } else if (wanted.faults() == null || wanted.dataFragments() != null || wanted.fragments() != null) {
            throw ApiException.badField("faultsMax", "bounds of the faults go alone");
        } else {
            int most = wanted.faultsMax() == null ? wanted.faults() : wanted.faultsMax();
            signedIn.client().changeFaults(name, wanted.faults(), most);
        }
        return find(name).volume();
    }

    /** Starts the work of {@code bulwark volume refill}. */
    Job refill(String name) {
        Bulwark client = signedIn.client();
        find(name);
        return jobs.start("refill-volume", "Refill volume " + name, signedIn.name(), job -> {
            RefillResult result = client.refill(name, (done, total) -> {
                if (job.isCancelled()) {
                    throw new CancelledException("cancelled; another refill goes on from there", Subject.NONE);
                }
                job.progress(done, total);
            });
            result.failures().forEach(why -> job.report("Not rewritten: " + why));
            return result.refilled() + " objects rewritten, "
                    + result.failures().size() + " not.";
        });
    }

    /** @param ifMatch tag of the volume that the client read; null for any */
    void delete(String name, @Nullable String ifMatch) {
        if (ifMatch != null) {
            EntityTag.of(find(name).volume()).require(ifMatch, "volume " + name);
        }
        signedIn.client().deleteVolume(name);
    }

    private Optional<ClusterStatus.VolumeStatus> status(String name) {
        try {
            return watch.now().status().volumes().stream()
                    .filter(each -> each.volume().name().equals(name))
                    .findFirst();
        } catch (BulwarkException e) {
            return Optional.empty();
        }
    }

    private static VolumeDetail.State state(ClusterStatus.VolumeStatus status) {
        return new VolumeDetail.State(
                status.moreFaults(),
                status.moreFaultsAtMost(),
                status.unverified(),
                status.policyFaults(),
                status.older().stream().map(StatusView.OlderPolicy::of).toList(),
                status.versions().entrySet().stream()
                        .map(each -> versions(each.getKey(), each.getValue()))
                        .toList());
    }

    private static VolumeDetail.Versions versions(int node, ClusterStatus.Versions told) {
        return new VolumeDetail.Versions(
                node,
                told.unverified(),
                told.poolBytes(),
                told.verifications(),
                told.onDemand(),
                told.cooperative(),
                told.avoided(),
                told.poisonous(),
                told.refused());
    }
}
