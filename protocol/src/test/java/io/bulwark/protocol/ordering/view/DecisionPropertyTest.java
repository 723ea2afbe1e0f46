package io.bulwark.protocol.ordering.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ViewChange;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.Predicate;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random runs of the three phases over many views, message counts only. Up to f liars send arbitrary VIEW-CHANGEs, and
 * primaries equivocate. The adversary picks S and every choice that S supports. Nothing ever contradicts a batch that
 * committed at a correct replica (proactive recovery paper, 4.5: "no other request will be able to satisfy conditions
 * A1 or B"). With the VIEW-CHANGEs of all correct replicas there is a decision, whatever the liars add ("the primary
 * will also be able to make the right decision eventually").
 */
class DecisionPropertyTest {
    private static final long SEED = Long.getLong("bulwark.seed", System.nanoTime());
    private static final int WORLDS = 250;
    private static final int VIEWS = 10;
    private static final int BATCHES = 4;

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void whatCommittedIsChosenAndThereIsAlwaysADecision(int faulty) {
        System.out.println("DecisionPropertyTest: -Dbulwark.seed=" + SEED);
        int commits = 0;
        for (int world = 0; world < WORLDS; world++) {
            commits += new World(faulty, new Random(SEED + world), "seed " + SEED + ", world " + world).run();
        }
        assertThat(commits).as("batches that committed").isGreaterThan(WORLDS);
    }

    private static final class World {
        private final ViewGroup group;
        private final Random random;
        private final String name;
        private final List<ModelReplica> correct = new ArrayList<>();
        private final Map<Long, Bytes> committed = new HashMap<>();
        private final int eager;

        World(int faulty, Random random, String name) {
            this.group = ViewChangeBuilder.group(faulty);
            this.random = random;
            this.name = name;
            this.eager = 30 + random.nextInt(70);
            for (int replica = 0; replica < group.quorum(); replica++) {
                correct.add(new ModelReplica(group));
            }
        }

        int run() {
            work(0, 0, Map.of(), correct);
            for (long view = 1; view < VIEWS; view++) {
                List<ViewChange> told = new ArrayList<>();
                for (ModelReplica replica : correct) {
                    ViewChange message = replica.tell(view);
                    assertThat(ViewChecks.isPlausible(group, message)).as(name).isTrue();
                    told.add(message);
                }
                List<ViewChange> lies = new ArrayList<>();
                for (int liar = 0; liar < group.faulty(); liar++) {
                    lies.add(lie(view, told));
                }
                assertDecides(told, lies);
                changeView(view, told, lies);
            }
            return committed.size();
        }

        private void assertDecides(List<ViewChange> told, List<ViewChange> lies) {
            Decision all = new Decision(group);
            told.forEach(all::add);
            for (int liars = 0; liars <= lies.size(); liars++) {
                if (liars > 0) {
                    all.add(lies.get(liars - 1));
                }
                Decision.Outcome outcome = all.decide((_, _) -> true, random.nextBoolean());
                assertThat(outcome)
                        .as("%s: %s and %s", name, told, lies.subList(0, liars))
                        .isInstanceOf(Decision.Decided.class);
                Decision.Decided decided = (Decision.Decided) outcome;
                assertThat(all.supports(decided.checkpoint(), decided.chosen()))
                        .as(name)
                        .isTrue();
            }
        }

        /** Some S, any choice that it supports, and some replicas that enter the view. */
        private void changeView(long view, List<ViewChange> told, List<ViewChange> lies) {
            List<ViewChange> some = new ArrayList<>(told);
            Collections.shuffle(some, random);
            some = new ArrayList<>(some.subList(0, group.weakQuorum() + random.nextInt(group.faulty() + 1)));
            some.addAll(lies);
            Decision decision = new Decision(group);
            some.forEach(decision::add);
            Numbered checkpoint = decision.checkpoint().orElse(null);
            if (checkpoint == null) {
                return;
            }
            assertThat(checkpoint).as(name).isEqualTo(ViewChangeBuilder.checkpoint(checkpoint.sequence()));
            List<Numbered> chosen = new ArrayList<>();
            for (long n = checkpoint.sequence() + 1; n <= checkpoint.sequence() + ViewChangeBuilder.LOG; n++) {
                List<Numbered> choices = supported(decision, checkpoint, n);
                if (choices.isEmpty()) {
                    return;
                }
                chosen.add(choices.get(random.nextInt(choices.size())));
            }
            int free = random.nextInt(ViewChangeBuilder.LOG + 1);
            if (decision.supports(checkpoint, chosen.subList(0, ViewChangeBuilder.LOG - free))) {
                chosen.subList(ViewChangeBuilder.LOG - free, ViewChangeBuilder.LOG)
                        .clear();
            }
            Map<Long, Bytes> assigned = new HashMap<>();
            chosen.forEach(choice -> assigned.put(choice.sequence(), choice.digest()));
            assertThat(decision.supports(checkpoint, chosen)).as(name).isTrue();
            List<ModelReplica> entering = new ArrayList<>(correct);
            entering.removeIf(_ -> random.nextInt(100) >= eager);
            entering.forEach(replica -> replica.enter(checkpoint.sequence()));
            work(view, checkpoint.sequence(), assigned, entering);
        }

        /** All digests that a backup would accept for one number. */
        private List<Numbered> supported(Decision decision, Numbered checkpoint, long n) {
            List<Numbered> choices = new ArrayList<>();
            for (int batch = 0; batch <= BATCHES; batch++) {
                Numbered choice = new Numbered(n, ViewChangeBuilder.digest(batch));
                if (decision.supports(choice)) {
                    choices.add(choice);
                    Bytes known = committed.get(n);
                    assertThat(known == null || known.equals(choice.digest()))
                            .as(
                                    "%s: %s committed for %s, and %s may be chosen after %s",
                                    name, known, n, choice, checkpoint)
                            .isTrue();
                }
            }
            return choices;
        }

        /** PRE-PREPARE, PREPARE and COMMIT of one view, each as far as the adversary lets it come. */
        private void work(long view, long checkpoint, Map<Long, Bytes> assigned, List<ModelReplica> active) {
            for (long n = checkpoint + 1; n <= checkpoint + 2L * ViewChangeBuilder.LOG; n++) {
                Bytes fresh = ViewChangeBuilder.digest(1 + random.nextInt(BATCHES));
                boolean equivocates = random.nextInt(4) == 0;
                for (ModelReplica replica : active) {
                    Bytes digest = assigned.get(n);
                    if (digest == null) {
                        digest = equivocates ? ViewChangeBuilder.digest(1 + random.nextInt(BATCHES)) : fresh;
                        if (!replica.history.mayAcceptFresh(n, digest)) {
                            continue;
                        }
                    }
                    if (replica.history.mayAcceptChosen(n, digest) && happens()) {
                        replica.history.prePrepared(n, digest, view);
                        replica.prePreparedInView.put(n, digest);
                    }
                }
                prepare(view, n, active);
                commit(n, active);
                makeStable();
            }
        }

        /** The f liars help every digest. */
        private void prepare(long view, long n, List<ModelReplica> active) {
            for (ModelReplica replica : active) {
                Bytes digest = replica.prePreparedInView.get(n);
                if (digest != null
                        && count(active, other -> Objects.equals(digest, other.prePreparedInView.get(n)))
                                >= group.weakQuorum()
                        && happens()) {
                    replica.history.prepared(n, digest, view);
                    replica.preparedInView.put(n, digest);
                }
            }
        }

        private void commit(long n, List<ModelReplica> active) {
            for (ModelReplica replica : active) {
                Bytes digest = replica.preparedInView.get(n);
                if (digest != null
                        && count(active, other -> Objects.equals(digest, other.preparedInView.get(n)))
                                >= group.weakQuorum()
                        && happens()) {
                    Bytes before = committed.putIfAbsent(n, digest);
                    assertThat(before == null || before.equals(digest))
                            .as("%s: %s and %s committed for %s", name, before, digest, n)
                            .isTrue();
                    replica.committed.put(n, digest);
                    replica.executeWhatItCan();
                }
            }
        }

        private void makeStable() {
            for (ModelReplica replica : correct) {
                long last = replica.held.last();
                if (last > replica.history.low()
                        && count(correct, other -> other.held.contains(last) || other.history.low() >= last)
                                >= group.weakQuorum()
                        && happens()) {
                    replica.stable(last);
                }
            }
        }

        private boolean happens() {
            return random.nextInt(100) < eager;
        }

        private static int count(List<ModelReplica> replicas, Predicate<ModelReplica> condition) {
            return (int) replicas.stream().filter(condition).count();
        }

        private ViewChange lie(long view, List<ViewChange> told) {
            if (random.nextInt(6) == 0) {
                return told.get(random.nextInt(told.size()));
            }
            long stable = told.get(random.nextInt(told.size())).stable();
            ViewChangeBuilder lie = ViewChangeBuilder.stable(view, stable);
            if (random.nextBoolean()) {
                lie.holds(new Numbered(
                        stable + ViewChangeBuilder.INTERVAL, ViewChangeBuilder.digest(600 + random.nextInt(2))));
            }
            for (long n = stable + 1; n <= stable + ViewChangeBuilder.LOG; n++) {
                int batch = random.nextInt(BATCHES + 1);
                if (random.nextBoolean()) {
                    lie.swears(n, batch, random.nextInt((int) view));
                }
                for (int pair = random.nextInt(3); pair > 0; pair--) {
                    lie.prePrepared(
                            n, random.nextBoolean() ? batch : random.nextInt(BATCHES + 1), random.nextInt((int) view));
                }
            }
            ViewChange message = lie.message();
            assertThat(ViewChecks.isPlausible(group, message)).as(name).isTrue();
            return message;
        }
    }
}
