package io.bulwark.example;

import io.bulwark.client.Bucket;
import io.bulwark.client.BucketSpec;
import io.bulwark.client.Bulwark;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.PutOptions;
import io.bulwark.client.error.ObjectLockedException;
import io.bulwark.protocol.metadata.BucketChange;
import io.bulwark.protocol.metadata.DefaultRetention;
import io.bulwark.protocol.object.Retention;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** Versions that nobody deletes for a time, as docs/sdk.md has them. */
final class LockedVersions {
    private LockedVersions() {}

    static void run(Bulwark client) {
        byte[] bytes = "an entry".getBytes(StandardCharsets.US_ASCII);
        Bucket ledger = client.createBucket(BucketSpec.of("ledger").withObjectLock());
        ledger.update(BucketChange.NONE.withRetention(new DefaultRetention(Retention.Mode.GOVERNANCE, 30, false)));
        ObjectInfo entry = ledger.put("2026/1", bytes, PutOptions.DEFAULT.withProperties(Map.of("etag", "a9")));
        ledger.setLegalHold("2026/1", entry.version(), true);
        ledger.delete("2026/1");
        List<Boolean> markers =
                ledger.versions("").map(version -> version.deleteMarker()).toList();
        Checks.that(markers.equals(List.of(true, false)), "a delete marker hides the version");
        try {
            ledger.delete("2026/1", entry.version());
            Checks.that(false, "a locked version stays");
        } catch (ObjectLockedException e) {
            Checks.that(e.key().orElse("").equals("2026/1"), "the failure names the object");
        }
    }
}
