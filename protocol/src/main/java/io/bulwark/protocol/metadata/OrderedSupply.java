package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.PrincipalId;

/** Supply of ordered commands: the state as a whole, but for the room that logs may draw. */
final class OrderedSupply implements Supply {
    private final Tables tables;

    OrderedSupply(Tables tables) {
        this.tables = tables;
    }

    @Override
    public long nowMillis() {
        return tables.totals().agreedMillis;
    }

    @Override
    public long nextInode() {
        return ++tables.totals().lastInode;
    }

    @Override
    public long nextVersion() {
        return ++tables.totals().lastVersion;
    }

    @Override
    public void requireRoom(Volumes.Entry volume, long added) {
        long held = volume.usage().bytes + volume.usage().escrow;
        CommandRefusal.refuseUnless(
                added <= 0 || added <= volume.limit() - held,
                MetadataError.QUOTA_EXCEEDED,
                "volume " + volume.volume().name() + " holds " + held + " of " + volume.limit() + " bytes");
    }

    @Override
    public void requireRoom(Bucket bucket, long added) {
        long held = bucket.bytes + bucket.escrow;
        CommandRefusal.refuseUnless(
                added <= 0 || added <= bucket.limit() - held,
                MetadataError.QUOTA_EXCEEDED,
                "bucket " + bucket.name + " holds " + held + " of " + bucket.limit() + " bytes");
    }

    @Override
    public void requireInline(PrincipalId owner) {
        CommandRefusal.refuseUnless(
                tables.weight.hasInlineRoom(owner), MetadataError.NOT_INLINE, "the metadata are half full");
    }

    @Override
    public void requireWeight(PrincipalId owner) {
        tables.weight.requireRoom(owner);
    }
}
