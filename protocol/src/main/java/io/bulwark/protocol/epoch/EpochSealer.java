package io.bulwark.protocol.epoch;

import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Outbox;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.effect.Stored;
import java.util.List;
import java.util.function.LongConsumer;

/** Seals of a server of registers for volumes whose holders change (docs/decisions/0016, nodes). */
public final class EpochSealer {
    /** Queue of the requests on one block; while a store is in progress the next one waits. */
    public interface BlockQueue {
        void enqueue(long nowMillis, LongConsumer task);
    }

    private final Outbox out;
    private final Seals seals;

    public EpochSealer(Outbox out, Seals seals) {
        this.out = out;
        this.seals = seals;
    }

    /**
     * Takes a volume's map. Promises of an earlier life are loaded before anything is served in this one.
     *
     * @param then judges the requests that wait for the volume, once the epochs that it ends are refused for good
     */
    public void hear(long nowMillis, Volume volume, LongConsumer then) {
        if (seals.knows(volume.id())) {
            seal(nowMillis, seals.learn(volume), then);
        } else {
            out.loadMetas(RecordKind.SEAL, Seals.block(volume.id()), (now, metas) -> {
                seals.loaded(volume.id(), metas);
                seal(now, seals.learn(volume), then);
            });
        }
    }

    private void seal(long nowMillis, List<Seals.Seal> fresh, LongConsumer then) {
        if (fresh.isEmpty()) {
            then.accept(nowMillis);
            return;
        }
        // If the store fails, the node retries when it next hears of the volume; it serves nothing until then.
        out.store(Seals.mutations(fresh), (now, stored) -> {
            if (stored == Stored.DURABLE) {
                seals.stored(fresh);
            }
            then.accept(now);
        });
    }

    /**
     * Sends the promises that the metadata wait for, once all requests accepted before are stored. Nothing of an older
     * epoch can come any more, so that a later search of this node must find them.
     *
     * @param blocks those of the volume that are in memory
     */
    public void promise(long nowMillis, Volume volume, List<BlockQueue> blocks) {
        List<Effect> promises = seals.promises(volume);
        if (promises.isEmpty()) {
            return;
        }
        int[] left = {1};
        LongConsumer over = ignored -> {
            if (--left[0] == 0) {
                promises.forEach(out::add);
            }
        };
        for (BlockQueue block : blocks) {
            left[0]++;
            block.enqueue(nowMillis, over);
        }
        over.accept(nowMillis);
    }
}
