package io.bulwark.simulation.object;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.MetadataStateMachine;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.object.Composition;
import io.bulwark.protocol.object.InlineContent;
import io.bulwark.protocol.object.ObjectLayout;
import io.bulwark.protocol.object.Slice;
import io.bulwark.simulation.campaign.Invariant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Check that compositions and parts name only inodes that nodes must hold. */
final class CompositionChecks {
    /** Each slice of each version, and each part of each upload, is bytes of an inode among the references. */
    static final Invariant SLICES_REFERENCED =
            new Invariant("slices-referenced", "docs/protocols/metadata.md, compositions and uploads");

    private static final PrincipalId ASKER = PrincipalId.node(0);

    private final Supplier<MetadataStateMachine> latest;
    private final ObjectInvariants invariants;

    CompositionChecks(Supplier<MetadataStateMachine> latest, ObjectInvariants invariants) {
        this.latest = latest;
        this.invariants = invariants;
    }

    /** Checks all versions in these buckets. */
    void check(int volume, List<String> buckets) {
        Map<Long, ObjectLayout> referenced = new HashMap<>();
        for (Reply.Reference reference : invariants.inodes(volume)) {
            reference.layout().ifPresent(layout -> referenced.put(reference.inode(), layout));
        }
        for (String bucket : buckets) {
            checkVersions(bucket, referenced);
        }
    }

    private void checkVersions(String bucket, Map<Long, ObjectLayout> referenced) {
        String afterKey = "";
        long beforeVersion = 0;
        while (true) {
            Reply.VersionList page = ask(
                    Reply.VersionList.class,
                    new Query.ListVersions(bucket, "", afterKey, beforeVersion, Query.PAGE_MAX));
            for (Reply.VersionEntry entry : page.versions()) {
                if (!entry.deleteMarker()) {
                    check(bucket, entry, referenced);
                }
            }
            if (!page.more()) {
                return;
            }
            afterKey = page.nextKey();
            beforeVersion = page.nextVersion();
        }
    }

    private void check(String bucket, Reply.VersionEntry entry, Map<Long, ObjectLayout> referenced) {
        Reply.ObjectFound found =
                ask(Reply.ObjectFound.class, new Query.FindObject(bucket, entry.key(), entry.version()));
        switch (found.inode().content()) {
            case InlineContent inline -> require(inline.length() == entry.length(), entry, "its bytes");
            case ObjectLayout layout ->
                require(
                        layout.ranges().isEmpty() || layout.equals(referenced.get(entry.inode())),
                        entry,
                        "its own extents");
            case Composition composition -> checkSlices(bucket, entry, composition, referenced);
        }
    }

    private void checkSlices(
            String bucket, Reply.VersionEntry entry, Composition composition, Map<Long, ObjectLayout> referenced) {
        long known = 0;
        while (known < composition.length()) {
            Reply.SliceList page = ask(
                    Reply.SliceList.class,
                    new Query.FindSlices(bucket, entry.key(), entry.version(), known, Query.PAGE_MAX));
            require(!page.slices().isEmpty(), entry, "a slice at " + known);
            for (Reply.SliceEntry slice : page.slices()) {
                require(slice.start() == known, entry, "the slice at " + known);
                Slice bytes = slice.slice();
                ObjectLayout whole = referenced.get(bytes.inode());
                boolean leadsThere = slice.content() instanceof InlineContent inline
                        ? whole == null && inline.length() >= bytes.offset() + bytes.length()
                        : whole != null && slice.content().equals(whole.reduced(bytes.offset(), bytes.length()));
                require(leadsThere, entry, "inode " + bytes.inode());
                known += bytes.length();
            }
        }
        require(known == composition.length(), entry, "no byte behind " + composition.length());
    }

    private static void require(boolean condition, Reply.VersionEntry entry, String what) {
        if (!condition) {
            throw SLICES_REFERENCED.violation(entry.key(), "version " + entry.version() + " must have " + what);
        }
    }

    private <T extends Reply> T ask(Class<T> type, Query query) {
        Reply reply = Reply.decode(latest.get().query(ASKER, query.encoded()));
        if (!type.isInstance(reply)) {
            throw SLICES_REFERENCED.violation("", query + ": " + reply);
        }
        return type.cast(reply);
    }
}
