package io.bulwark.protocol.fingerprint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Lines 1000 to 1002, 1300 to 1310 and 1800 to 1830 of the thesis' pseudo-code. */
class BlockCodePaperTest {
    private static final long SEED = Long.getLong("bulwark.seed", System.nanoTime());

    static {
        System.out.println("BlockCodePaperTest: -Dbulwark.seed=" + SEED);
    }

    private final Random random = new Random(SEED);

    /** Answer of a slot to a reader. */
    private enum Answer {
        NOTHING,
        /** The writer's fragment, consistent with fpcc. */
        CONSISTENT,
        /** Its fragment of a block that it accepted, with that block's cross-checksum. */
        STAGED,
        /** A fragment that is not consistent, and no cross-checksum. */
        GARBAGE,
        /** The accepted block's cross-checksum, but another fragment. */
        COPIED_CROSS_CHECKSUM,
        /** Fragment and cross-checksum of another block, as other colluding slots. */
        COLLUDING,
        /** A fragment of its own invention with a cross-checksum that nobody else has. */
        ALONE
    }

    /** A block, its fpcc, and another block that liars agree on. */
    private record Scene(
            BlockCode code, int m, int f, int n, Bytes block, Fpcc fpcc, List<Bytes> all, List<Bytes> lie) {
        List<Bytes> cc() {
            return hashes(all);
        }
    }

    @PlantedBug(
            in = BlockCode.class,
            rule = "a fragment has the hash that its cross-checksum names",
            replace = "&& Hashes.sha256(share.fragment()).equals(cc.get(slot));",
            with = ";")
    @Test
    void everyCombinationOfAnswersOfFour() {
        for (int poisoned = 0; poisoned < 3; poisoned++) {
            Scene scene = scene(2, 1, 4, 90, poisoned == 0 ? Map.of() : Map.of(poisoned - 1, randomBytes(45)));
            Answer[] all = Answer.values();
            for (int choice = 0; choice < Math.pow(all.length, 4); choice++) {
                int rest = choice;
                List<Answer> answers = new ArrayList<>();
                for (int slot = 0; slot < 4; slot++) {
                    answers.add(all[rest % all.length]);
                    rest /= all.length;
                }
                checkDecode(scene, answers);
            }
        }
    }

    @Test
    void randomAnswersOfLargerGroups() {
        for (int round = 0; round < 300; round++) {
            int f = 1 + random.nextInt(3);
            int m = f + 1 + random.nextInt(3);
            int n = m + 2 * f;
            Map<Integer, Bytes> poison = new HashMap<>();
            for (int i = random.nextInt(f + 1); i > 0; i--) {
                poison.put(random.nextInt(m + f), randomBytes(33));
            }
            Scene scene = scene(m, f, n, m * 33, poison);
            for (int again = 0; again < 10; again++) {
                checkDecode(
                        scene,
                        random.ints(n, 0, Answer.values().length)
                                .mapToObj(i -> Answer.values()[i])
                                .toList());
            }
        }
    }

    private void checkDecode(Scene scene, List<Answer> answers) {
        Map<Integer, Share> shares = new HashMap<>();
        int consistent = 0;
        int staged = 0;
        for (int slot = 0; slot < scene.n; slot++) {
            Share share = share(scene, slot, answers.get(slot));
            if (share == null) {
                continue;
            }
            shares.put(slot, share);
            boolean right = scene.fpcc.isConsistent(scene.code.erasureCode(), slot, share.fragment());
            boolean counts = switch (answers.get(slot)) {
                case CONSISTENT -> right;
                case STAGED, COLLUDING, ALONE -> true;
                default -> false;
            };
            assertThat(scene.code.isShareOf(scene.fpcc, slot, share))
                    .as("slot %d of %s, seed %d", slot, answers, SEED)
                    .isEqualTo(counts);
            consistent += answers.get(slot) == Answer.CONSISTENT && right ? 1 : 0;
            staged += answers.get(slot) == Answer.STAGED ? 1 : 0;
        }
        Optional<Bytes> expected = consistent + staged >= scene.m ? Optional.of(scene.block) : Optional.empty();
        assertThat(scene.code.decode(scene.fpcc, shares))
                .as("%s, m = %d, seed %d", answers, scene.m, SEED)
                .isEqualTo(expected);
    }

    private @Nullable Share share(Scene scene, int slot, Answer answer) {
        return switch (answer) {
            case NOTHING -> null;
            case CONSISTENT -> new Share(scene.all.get(slot), null);
            case STAGED -> new Share(scene.all.get(slot), scene.cc());
            case GARBAGE -> new Share(scene.lie.get(slot), null);
            case COPIED_CROSS_CHECKSUM -> new Share(scene.lie.get(slot), scene.cc());
            case COLLUDING -> new Share(scene.lie.get(slot), hashes(scene.lie));
            case ALONE -> {
                Bytes fragment = randomBytes(scene.fpcc.length());
                List<Bytes> cc = new ArrayList<>(scene.cc());
                cc.set(slot, Hashes.sha256(fragment));
                yield new Share(fragment, cc);
            }
        };
    }

    @Test
    void anAcceptedBlockIsStagedAtEverySlot() {
        for (int poisoned = 0; poisoned <= 2; poisoned++) {
            Map<Integer, Bytes> poison = new HashMap<>();
            for (int i = 0; i < poisoned; i++) {
                poison.put(2 * i, randomBytes(500));
            }
            Scene scene = scene(3, 2, 7, 1500, poison);
            for (int slot = 0; slot < 7; slot++) {
                BlockCode.Staged staged =
                        scene.code.acceptBlock(scene.block, scene.fpcc, slot).orElseThrow();
                assertThat(staged.fragment()).isEqualTo(scene.all.get(slot));
                assertThat(staged.fragment().array()).hasSize(500);
                assertThat(staged.cc()).isEqualTo(scene.cc());
                assertThat(scene.code.matches(scene.block, slot, staged.fragment()))
                        .isTrue();
                assertThat(scene.code.matches(scene.block, slot, scene.lie.get(slot)))
                        .isFalse();
            }
        }
    }

    /** Line 1307: fewer than m fragments consistent. */
    @PlantedBug(
            in = BlockCode.class,
            rule = "m consistent fragments are needed to decode",
            replace = "return count >= m;",
            with = "return count >= m - 1;")
    @Test
    void aBlockWithTooFewConsistentFragmentsIsRefused() {
        Map<Integer, Bytes> poison = Map.of(0, randomBytes(500), 2, randomBytes(500), 4, randomBytes(500));
        Scene scene = scene(3, 2, 7, 1500, poison);
        assertThat(scene.fpcc.countConsistent(scene.code.erasureCode(), scene.all.subList(0, 5)))
                .isEqualTo(2);
        assertThat(scene.code.acceptBlock(scene.block, scene.fpcc, 6)).isEmpty();
    }

    @Test
    void whatDoesNotFitIsRefused() {
        Scene scene = scene(2, 1, 4, 100, Map.of());
        BlockCode code = scene.code;
        assertThat(code.acceptBlock(randomBytes(100), scene.fpcc, 3)).isEmpty();
        assertThat(code.acceptBlock(scene.block, scene.fpcc, 4)).isEmpty();
        assertThat(code.acceptBlock(scene.block, scene.fpcc, -1)).isEmpty();
        assertThat(code.acceptBlock(scene.block.slice(0, 99), scene.fpcc, 3)).isEmpty();
        assertThat(code.acceptBlock(Bytes.EMPTY, scene.fpcc, 3)).isEmpty();

        Fpcc ofAnotherShape = new BlockCode(2, 2, 6).encode(scene.block).fpcc();
        Share share = new Share(scene.all.getFirst(), null);
        assertThat(code.acceptBlock(scene.block, ofAnotherShape, 3)).isEmpty();
        assertThat(code.decode(ofAnotherShape, Map.of(0, share, 1, new Share(scene.all.get(1), null))))
                .isEmpty();
        assertThat(code.isShareOf(ofAnotherShape, 0, share)).isFalse();
        assertThat(code.matches(scene.block, 4, scene.all.get(3))).isFalse();
        assertThat(code.matches(scene.block, -1, scene.all.get(3))).isFalse();
    }

    @Test
    void sharesOfNoSlotAndMalformedCrossChecksumsAreIgnored() {
        Scene scene = scene(2, 1, 4, 100, Map.of());
        List<Bytes> cc = scene.cc();
        Map<Integer, Share> shares = new HashMap<>();
        shares.put(-1, new Share(scene.all.get(0), cc));
        shares.put(4, new Share(scene.all.get(1), null));
        shares.put(255, new Share(scene.all.get(1), cc));
        shares.put(0, new Share(scene.all.get(0), cc.subList(0, 3)));
        shares.put(1, new Share(scene.all.get(1), List.of()));
        shares.put(2, new Share(scene.all.get(2).slice(0, 49), cc));
        List<Bytes> shortHash = new ArrayList<>(cc);
        shortHash.set(0, Bytes.of((byte) 1));
        shares.put(3, new Share(scene.all.get(3), shortHash));
        assertThat(scene.code.decode(scene.fpcc, shares)).isEmpty();
        shares.forEach((slot, share) ->
                assertThat(scene.code.isShareOf(scene.fpcc, slot, share)).isFalse());
        shares.put(0, new Share(scene.all.get(0), null));
        shares.put(3, new Share(scene.all.get(3), cc));
        assertThat(scene.code.decode(scene.fpcc, shares)).contains(scene.block);
    }

    @Test
    void emptyBlocksGoThroughAll() {
        BlockCode code = new BlockCode(2, 1, 4);
        BlockCode.Encoded encoded = code.encode(Bytes.EMPTY);
        BlockCode.Staged staged =
                code.acceptBlock(Bytes.EMPTY, encoded.fpcc(), 3).orElseThrow();
        Map<Integer, Share> shares = Map.of(
                3,
                new Share(staged.fragment(), staged.cc()),
                0,
                new Share(encoded.fragments().getFirst(), null));
        assertThat(code.decode(encoded.fpcc(), shares)).contains(Bytes.EMPTY);
    }

    @Test
    void refusesOtherShapes() {
        assertThatIllegalArgumentException().isThrownBy(() -> new BlockCode(2, 3, 4));
        assertThatIllegalArgumentException().isThrownBy(() -> new BlockCode(2, -1, 4));
        assertThatIllegalArgumentException().isThrownBy(() -> new BlockCode(0, 1, 4));
        assertThatIllegalArgumentException().isThrownBy(() -> new BlockCode(100, 100, 300));
    }

    private Scene scene(int m, int f, int n, int blockLength, Map<Integer, Bytes> poison) {
        BlockCode code = new BlockCode(m, f, n);
        Bytes block = randomBytes(blockLength);
        List<Bytes> all = code.erasureCode().encode(block, n);
        Fpcc fpcc =
                poison.isEmpty() ? code.encode(block).fpcc() : Forgery.withHashesOf(poison, m, all.subList(0, m + f));
        return new Scene(code, m, f, n, block, fpcc, all, code.erasureCode().encode(randomBytes(blockLength), n));
    }

    private static List<Bytes> hashes(List<Bytes> fragments) {
        return fragments.stream().map(Hashes::sha256).toList();
    }

    private Bytes randomBytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return Bytes.of(bytes);
    }
}
