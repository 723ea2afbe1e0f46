package io.bulwark.protocol.state;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Serving side of the state transfer (section 4.6.2): pages by digest, of all checkpoints that are durable here. An
 * answer has at most {@link #ANSWER_BYTES} and one page more. The bytes per second for a replica are bounded, whatever
 * it asks for, so that none can keep the others busy.
 */
public final class PageServer {
    /** An answer that is as long takes no further page. */
    public static final int ANSWER_BYTES = 512 << 10;

    private static final class PeerBudget {
        long bytes;
        long atMillis;

        PeerBudget(long bytes, long atMillis) {
            this.bytes = bytes;
            this.atMillis = atMillis;
        }
    }

    private final PageStore store;
    private final long bytesPerSecond;
    private final Map<Integer, PeerBudget> accounts = new HashMap<>();
    private final Set<Bytes> damaged = new LinkedHashSet<>();

    /** @param bytesPerSecond for each replica; one that was quiet may have those of four seconds at once */
    public PageServer(PageStore store, long bytesPerSecond) {
        this.store = store;
        this.bytesPerSecond = bytesPerSecond;
    }

    /**
     * The pages in the order of the request, empty where one is lacking or wrong here; fewer than were asked for, or none, if
     * the answer is full or the replica has had its share.
     */
    public List<Bytes> onFetch(long nowMillis, int from, List<Bytes> digests) {
        PeerBudget account = accounts.computeIfAbsent(from, ignored -> new PeerBudget(4 * bytesPerSecond, nowMillis));
        long elapsedMillis = Math.clamp(nowMillis - account.atMillis, 0, 4_000);
        account.bytes = Math.min(4 * bytesPerSecond, account.bytes + elapsedMillis * bytesPerSecond / 1_000);
        account.atMillis = nowMillis;
        List<Bytes> pages = new ArrayList<>();
        long bytes = 0;
        for (Bytes digest : digests) {
            if (bytes >= ANSWER_BYTES || account.bytes <= 0) {
                break;
            }
            Bytes page = right(digest);
            pages.add(page);
            bytes += page.length();
            // Looking for a page that is not here costs, too.
            account.bytes -= Math.max(page.length(), PageCodec.PAGE_BYTES_MIN);
        }
        return pages;
    }

    /** The pages that turned out to be wrong since the last call: to be fetched from others. */
    public List<Bytes> takeDamaged() {
        List<Bytes> taken = List.copyOf(damaged);
        damaged.clear();
        return taken;
    }

    private Bytes right(Bytes digest) {
        Optional<Bytes> page = store.get(digest);
        if (page.isPresent() && !Hashes.sha256(page.get()).equals(digest)) {
            damaged.add(digest);
            return Bytes.EMPTY;
        }
        return page.orElse(Bytes.EMPTY);
    }
}
