package io.bulwark.protocol.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.locking.Subtree;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests what each command and each query touches (rule 12). */
@NullMarked
class TouchesTest {
    private static final PrincipalId OWNER = PrincipalId.client(5);
    private static final List<Touch> NOTHING = List.of();

    private static List<Touch> keys(String... bucketsAndKeys) {
        List<Touch> touches = new ArrayList<>();
        for (int i = 0; i < bucketsAndKeys.length; i += 2) {
            touches.add(new Touch.OfKey(bucketsAndKeys[i], bucketsAndKeys[i + 1]));
        }
        return touches;
    }

    private static void putOthers(Map<String, List<Touch>> all) {
        for (String name :
                List.of("delete-volume", "change-holder", "abort-change", "change-policy", "set-volume-policy")) {
            all.put(name, List.of(new Touch.OfVolume("main")));
        }
        all.put("replace-tags", keys("films", "a"));
        all.put("set-legal-hold", keys("films", "a"));
        for (String name : List.of(
                "set-webhook",
                "remove-webhook",
                "claim-events",
                "change-threat",
                "set-threat-policy",
                "refill-inode")) {
            all.put(name, NOTHING);
        }
    }

    private static Map<String, List<Touch>> ofCommands() {
        Map<String, List<Touch>> all = new HashMap<>();
        all.put("put-object", keys("films", "a/\u00fc"));
        all.put("delete-object", keys("films", "a"));
        all.put("delete-if", keys("films", "a"));
        all.put("rename-object", keys("films", "a", "music", "b"));
        all.put("copy-object", keys("films", "a", "music", "b"));
        all.put("copy-with-attributes", keys("films", "a", "music", "b"));
        all.put("set-tags", keys("films", "a"));
        all.put("set-retention", keys("films", "a"));
        all.put("end-retention", keys("films", "a"));
        all.put("compose-object", keys("films", "a/\u00fc", "music", "b", "films", "c"));
        all.put("copy-part", keys("films", "a/\u00fc", "music", "b"));
        all.put("complete-upload", keys("films", "a/\u00fc"));
        for (String name : List.of("delete-bucket", "update-bucket", "update-nothing", "on-behalf")) {
            all.put(name, List.of(new Touch.OfBucket("films")));
        }
        for (String name : List.of(
                "lift-suspension",
                "rotate-key",
                "revoke-principal",
                "signed",
                "signed-on-behalf",
                "set-grant",
                "set-grant-on-volume",
                "set-grant-on-bucket",
                "set-act-for")) {
            all.put(name, List.of(new Touch.OfPrincipal(OWNER)));
        }
        all.put("change-replicas", List.of(new Touch.Everything()));
        for (String name : List.of(
                "renew-session",
                "close-session",
                "create-volume",
                "create-register-volume",
                "create-bucket",
                "create-bucket-with-document",
                "register-pending",
                "abandon-ranges",
                "put-document",
                "remove-document",
                "forgive-node",
                "report-evidence",
                "report-peers",
                "report-poison",
                "signed-report",
                "add-principal",
                "invite-principal",
                "set-release",
                "seal-epoch",
                "confirm-epoch",
                "set-node",
                "remove-node",
                "begin-upload",
                "put-part",
                "abort-upload",
                "set-access-key",
                "remove-access-key",
                "set-gateways",
                "set-fault-policy",
                "lock",
                "unlock",
                "open-round")) {
            all.put(name, NOTHING);
        }
        putOthers(all);
        return all;
    }

    @Test
    void eachCommandTouchesWhatItReadsAndChanges() {
        Map<String, List<Touch>> expected = ofCommands();
        Map<String, List<Touch>> found = new LinkedHashMap<>();
        Samples.submissions().forEach((name, submission) -> {
            if (submission instanceof Submission.InSession in) {
                found.put(name, Touches.of(in.command()));
            }
        });
        assertThat(found).containsExactlyInAnyOrderEntriesOf(expected);
    }

    @Test
    void eachQueryTouchesTheNamesThatItReads() {
        Map<String, List<Touch>> names = Map.of(
                "find-object", keys("films", "a"),
                "query-on-behalf", keys("films", "a"),
                "find-slices", keys("films", "a"),
                "list-objects", List.of(new Touch.OfSubtree(new Subtree("films", "a/"))),
                "list-versions",
                        List.of(new Touch.OfSubtree(new Subtree("films", "a")), new Touch.OfKey("films", "ab")));
        Set<String> touching = new TreeSet<>();
        Samples.queries().forEach((name, query) -> {
            List<Touch> touches = Touches.of(query);
            if (!touches.isEmpty()) {
                touching.add(name);
                assertThat(touches).as(name).isEqualTo(names.get(name));
            }
        });
        assertThat(touching).isEqualTo(new TreeSet<>(names.keySet()));
    }

    /** What a log takes is what touches its subtrees and nothing else. */
    @Test
    void aLogTakesOnlyWhatTouchesNames() {
        List<Subtree> everything = List.of(new Subtree("films", ""), new Subtree("music", ""));
        Set<String> lockable = new TreeSet<>();
        Samples.submissions().forEach((name, submission) -> {
            if (submission instanceof Submission.InSession in && Lockable.isWithin(everything, in.command())) {
                lockable.add(name);
                assertThat(Touches.of(in.command())).as(name).allMatch(Touch.OfKey.class::isInstance);
            }
        });
        assertThat(lockable)
                .containsExactly(
                        "copy-object",
                        "copy-with-attributes",
                        "delete-if",
                        "delete-object",
                        "rename-object",
                        "replace-tags",
                        "set-tags");
        assertThat(Samples.submissions().values())
                .filteredOn(Submission.InSession.class::isInstance)
                .noneMatch(in -> Lockable.isWithin(List.of(), ((Submission.InSession) in).command()));
    }
}
