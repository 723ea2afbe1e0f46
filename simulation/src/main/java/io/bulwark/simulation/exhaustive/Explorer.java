package io.bulwark.simulation.exhaustive;

import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.PrincipalId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Explores a world breadth first, so that the first violation is a shortest one. A state consists of the parties'
 * states, the messages in flight, and the operations that were complete when each operation began; it is followed once.
 * A message may be late for ever, hence lost; two equal messages in flight are one.
 */
public final class Explorer {
    /**
     * The words are: for each party its state, for each operation its mask, how many messages arrived twice, then the messages in
     * ascending order.
     */
    private static final class State {
        private final int number;
        private final int[] words;

        State(int number, int[] words) {
            this.number = number;
            this.words = words;
        }

        int number() {
            return number;
        }

        int[] words() {
            return words;
        }
    }

    /** Receives the progress after each state. */
    @FunctionalInterface
    public interface Watch {
        /**
         * Returns whether to continue.
         *
         * @param depth steps in the orders that are being followed
         * @param states different ones so far
         */
        boolean mayContinue(int depth, long states);
    }

    private final TinyWorld world;
    private final Watch watch;
    private final int depthMax;
    private final long statesMax;
    private final int nodes;
    private final int parties;
    private final int fixed;
    private final boolean inTurn;
    private final Messages messages;
    private final List<Automaton> automata = new ArrayList<>();
    private final VisitedStates seen = new VisitedStates();
    private final Set<List<Object>> judged = new HashSet<>();
    private final Ancestry ancestry = new Ancestry();
    /** Number of orders that lead to each state. */
    private double[] paths = new double[1 << 10];
    /** One step further than what is being expanded. */
    private List<State> next = new ArrayList<>();

    private int firstOfNext;
    private boolean goesOn = true;
    private long steps;
    private double schedules;
    private Optional<Exploration.Counterexample> wrong = Optional.empty();

    private Explorer(TinyWorld world, int depthMax, long statesMax, Watch watch, boolean merging) {
        this.watch = watch;
        this.world = world;
        this.depthMax = depthMax;
        this.statesMax = statesMax;
        this.nodes = world.nodes().size();
        this.parties = nodes + world.operations().size();
        this.fixed = parties + world.operations().size() + 1;
        this.inTurn = world.operations().stream().anyMatch(TinyWorld.Operation::patient);
        this.messages = new Messages(world);
        for (TinyWorld.Node node : world.nodes()) {
            automata.add(Automaton.of(world, node, messages, merging));
        }
        for (int number = 0; number < world.operations().size(); number++) {
            automata.add(Automaton.of(world, number, messages, merging));
        }
    }

    /**
     * Explores all orders with at most this many steps, or gives up at the limit of states.
     *
     * @param depthMax steps in one order
     * @param statesMax different states
     */
    public static Exploration explore(TinyWorld world, int depthMax, long statesMax) {
        return explore(world, depthMax, statesMax, (_, _) -> true);
    }

    /** Explores the world as long as the watch permits. */
    public static Exploration explore(TinyWorld world, int depthMax, long statesMax, Watch watch) {
        return new Explorer(world, depthMax, statesMax, watch, true).run();
    }

    /** Explores without merging the states of a party that have equal digests. */
    static Exploration exploreUnmerged(TinyWorld world, int depthMax, long statesMax) {
        return new Explorer(world, depthMax, statesMax, (_, _) -> true, false).run();
    }

    private Exploration run() {
        int[] start = new int[fixed];
        for (int node = 0; node < nodes; node++) {
            start[node] = automata.get(node)
                    .step(0, new Input(Input.Kind.BEGIN, 0, 0))
                    .to();
        }
        seen.add(start, 0);
        paths[ancestry.add(-1, -1, new Input(Input.Kind.BEGIN, 0, 0))] = 1;
        List<State> level = List.of(new State(0, start));
        int depth = 0;
        while (!level.isEmpty() && depth < depthMax && wrong.isEmpty() && goesOn) {
            depth++;
            level = nextOf(level, depth);
        }
        for (State state : level) {
            schedules += paths[state.number()];
        }
        return new Exploration(
                world.name(),
                ancestry.size(),
                steps,
                schedules,
                depth,
                level.isEmpty() && wrong.isEmpty() && goesOn,
                automata.stream().mapToLong(Automaton::stateCount).sum(),
                automata.stream().mapToLong(Automaton::stepCount).sum(),
                judged.size(),
                wrong);
    }

    private List<State> nextOf(List<State> level, int depth) {
        next = new ArrayList<>();
        firstOfNext = ancestry.size();
        for (State state : level) {
            long before = steps;
            expand(state);
            if (steps == before) {
                schedules += paths[state.number()];
                end(state);
            }
            goesOn = ancestry.size() < statesMax && watch.mayContinue(depth, ancestry.size());
            if (wrong.isPresent() || !goesOn) {
                break;
            }
        }
        return next;
    }

    private void expand(State state) {
        if (isFinalState(state)) {
            return;
        }
        for (int operation = 0; operation < world.operations().size(); operation++) {
            if (world.operations().get(operation).patient() && due(state, operation)) {
                all(state, nodes + operation, Input.Kind.BEGIN, 0);
                return;
            }
        }
        int question = inTurn ? question(state) : -1;
        if (question >= 0) {
            all(state, messages.envelope(question).to(), Input.Kind.DELIVER, question);
            return;
        }
        for (int i = fixed; i < state.words().length; i++) {
            int message = state.words()[i];
            all(state, messages.envelope(message).to(), Input.Kind.DELIVER, message);
            if (state.words()[fixed - 1] < world.repetitions()) {
                all(state, messages.envelope(message).to(), Input.Kind.DELIVER, message, true);
            }
        }
        for (int party = 0; party < parties; party++) {
            Automaton.Local local = automata.get(party).state(state.words()[party]);
            if (party < nodes) {
                TinyWorld.Node node = world.nodes().get(party);
                if (local.isDiskBusy()) {
                    all(state, party, Input.Kind.DISK, 0);
                }
                if (local.crashes() < node.crashes()) {
                    all(state, party, Input.Kind.CRASH, 0);
                }
                if (local.facts() < node.told().size()) {
                    all(state, party, Input.Kind.FACT, local.facts());
                }
                if (local.ticks() < node.ticks() && quiet(state)) {
                    all(state, party, Input.Kind.TICK, 0);
                }
            } else {
                TinyWorld.Operation operation = world.operations().get(party - nodes);
                if (state.words()[party] == 0) {
                    if (due(state, party - nodes)) {
                        all(state, party, Input.Kind.BEGIN, 0);
                    }
                } else if (local.ticks() < operation.ticks()
                        && !local.isFinished()
                        && (!operation.patient() || quiet(state))) {
                    all(state, party, Input.Kind.TICK, 0);
                }
            }
        }
    }

    /** A message under way that changes nothing at its node; -1 if there is none. Where operations take turns it arrives at once. */
    private int question(State state) {
        for (int i = fixed; i < state.words().length; i++) {
            int to = messages.envelope(state.words()[i]).to();
            if (to < nodes) {
                int from = state.words()[to];
                Input truly = new Input(Input.Kind.DELIVER, state.words()[i], 0);
                if (automata.get(to).step(from, truly).to() == from) {
                    return state.words()[i];
                }
            }
        }
        return -1;
    }

    /** Returns whether all operations have finished; messages still in flight then have no visible effect. */
    private boolean isFinalState(State state) {
        for (int party = nodes; party < parties; party++) {
            if (!automata.get(party).state(state.words()[party]).isFinished()) {
                return false;
            }
        }
        return true;
    }

    private boolean due(State state, int operation) {
        int after = world.operations().get(operation).after();
        return state.words()[nodes + operation] == 0 && (after < 0 || over(state.words(), after));
    }

    private boolean quiet(State state) {
        return state.words().length == fixed;
    }

    /** Checks a final state: every operation that must end has ended. */
    private void end(State state) {
        for (int operation = 0; operation < world.operations().size(); operation++) {
            boolean begun = state.words()[nodes + operation] != 0;
            if (begun && world.operations().get(operation).ends() && !over(state.words(), operation)) {
                fail(state.number(), world.operations().get(operation).name() + " does not end");
            }
        }
    }

    private boolean over(int[] words, int operation) {
        return automata.get(nodes + operation)
                .state(words[nodes + operation])
                .outcome()
                .isPresent();
    }

    private void all(State state, int party, Input.Kind kind, int message) {
        all(state, party, kind, message, false);
    }

    /**
     * @param again whether the message stays in flight
     */
    private void all(State state, int party, Input.Kind kind, int message, boolean again) {
        Automaton automaton = automata.get(party);
        int from = state.words()[party];
        int choices = automaton.state(from).choices();
        for (int choice = 0; choice < choices && wrong.isEmpty(); choice++) {
            Input input = new Input(kind, message, choice);
            // A lie about nothing is the truth.
            if (choice == 0 || !automaton.step(from, input).sameAs(automaton.step(from, new Input(kind, message, 0)))) {
                take(state, party, input, again);
            }
        }
    }

    private void take(State state, int party, Input input, boolean again) {
        Automaton automaton = automata.get(party);
        Automaton.Step step = automaton.step(state.words()[party], input);
        int[] words = after(state.words(), party, input, step, again);
        steps++;
        int number = seen.add(words, ancestry.size());
        if (number == ancestry.size()) {
            ancestry.add(state.number(), party, input);
            if (number == paths.length) {
                paths = Arrays.copyOf(paths, 2 * number);
            }
            next.add(new State(number, words));
            accuse(number, step);
            boolean outcome = party >= nodes
                    && automaton.state(step.to()).outcome().isPresent()
                    && automaton.state(state.words()[party]).outcome().isEmpty();
            if (outcome) {
                judge(number, words);
            }
        }
        if (number >= firstOfNext) {
            paths[number] += paths[state.number()];
        }
    }

    private int[] after(int[] words, int party, Input input, Automaton.Step step, boolean again) {
        int[] sent = step.sent();
        int[] after = new int[words.length + sent.length];
        System.arraycopy(words, 0, after, 0, fixed);
        after[party] = step.to();
        after[fixed - 1] += again ? 1 : 0;
        if (party >= nodes && input.kind() == Input.Kind.BEGIN) {
            int mask = 0;
            for (int operation = 0; operation < world.operations().size(); operation++) {
                mask |= over(words, operation) ? 1 << operation : 0;
            }
            after[parties + party - nodes] = mask;
        }
        // Both lists of messages ascend.
        int length = fixed;
        int old = fixed;
        int added = 0;
        while (old < words.length || added < sent.length) {
            boolean takeSent = old == words.length || (added < sent.length && sent[added] <= words[old]);
            int message = takeSent ? sent[added] : words[old];
            boolean lost = !takeSent && input.kind() == Input.Kind.BEGIN && clears(party);
            boolean delivered = !takeSent && !again && input.kind() == Input.Kind.DELIVER && message == input.message();
            if (takeSent) {
                old += old < words.length && words[old] == message ? 1 : 0;
                added++;
            } else {
                old++;
            }
            if (!delivered
                    && !lost
                    && !hasStoppedReceiving(after, messages.envelope(message).to())) {
                after[length++] = message;
            }
        }
        return Arrays.copyOf(after, length);
    }

    private boolean clears(int party) {
        return party >= nodes && world.operations().get(party - nodes).patient();
    }

    /** An operation that is over for good hears nothing. */
    private boolean hasStoppedReceiving(int[] words, int party) {
        return party >= nodes && automata.get(party).state(words[party]).isFinished();
    }

    /** A correct node is never accused. */
    private void accuse(int number, Automaton.Step step) {
        for (Effect.Evidence evidence : step.evidence()) {
            boolean accuses = evidence.verdict() == Verdict.CORRUPT || evidence.verdict() == Verdict.MISBEHAVED;
            if (accuses && correct(evidence.about())) {
                fail(number, "a correct node is accused: " + evidence);
            }
        }
    }

    private boolean correct(PrincipalId id) {
        return messages.node(id)
                .map(node -> automata.get(node).state(1).choices() == 1)
                .orElse(false);
    }

    private void judge(int number, int[] words) {
        List<Object> key = new ArrayList<>();
        for (int operation = 0; operation < world.operations().size(); operation++) {
            Automaton.Local local = automata.get(nodes + operation).state(words[nodes + operation]);
            key.add(words[nodes + operation] != 0);
            key.add(words[parties + operation]);
            key.add(local.outcome());
        }
        if (judged.add(key)) {
            world.judge().findViolation(done(number, words)).ifPresent(problem -> fail(number, problem));
        }
    }

    /** Returns the finished operations in the order that led here; another order with the same masks gives the same verdict. */
    private List<TinyWorld.OperationResult> done(int number, int[] words) {
        int count = world.operations().size();
        long[] invoked = new long[count];
        long[] completed = new long[count];
        Arrays.fill(invoked, -1);
        Arrays.fill(completed, Long.MAX_VALUE);
        int[] locals = new int[parties];
        List<Ancestry.Link> path = ancestry.path(number);
        for (int time = 0; time < path.size(); time++) {
            Ancestry.Link link = path.get(time);
            int operation = link.party() - nodes;
            if (operation >= 0) {
                Automaton automaton = automata.get(link.party());
                int before = locals[link.party()];
                int after = automaton.step(before, link.input()).to();
                locals[link.party()] = after;
                if (before == 0) {
                    invoked[operation] = time;
                }
                if (automaton.state(after).outcome().isPresent()
                        && automaton.state(before).outcome().isEmpty()) {
                    completed[operation] = time;
                }
            }
        }
        List<TinyWorld.OperationResult> done = new ArrayList<>();
        for (int operation = 0; operation < count; operation++) {
            if (invoked[operation] >= 0) {
                Optional<Object> outcome = automata.get(nodes + operation)
                        .state(words[nodes + operation])
                        .outcome();
                done.add(new TinyWorld.OperationResult(operation, invoked[operation], completed[operation], outcome));
            }
        }
        return done;
    }

    private void fail(int number, String problem) {
        if (wrong.isEmpty()) {
            List<String> lines = ancestry.path(number).stream()
                    .map(link -> switch (link.input().kind()) {
                        case DELIVER ->
                            messages.text(link.input().message())
                                    + (link.input().choice() == 0
                                            ? ""
                                            : " (lie " + link.input().choice() + ")");
                        case BEGIN, TICK, CRASH, DISK, FACT ->
                            messages.party(link.party()) + " " + link.input().kind();
                    })
                    .toList();
            wrong = Optional.of(new Exploration.Counterexample(problem, lines));
        }
    }
}
