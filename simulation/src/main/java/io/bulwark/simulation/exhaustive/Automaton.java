package io.bulwark.simulation.exhaustive;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** One party: its states so far, and what each input does in each. A step is run once, from the party's start. */
final class Automaton {
    /**
     * A state.
     *
     * @param path a shortest known way to it
     * @param choices lies to choose from at the next step
     */
    record Local(
            List<Input> path,
            Optional<Object> outcome,
            boolean isFinished,
            boolean isDiskBusy,
            int ticks,
            int crashes,
            int facts,
            int choices) {}

    /** Result of an input: the state after it, and the numbers of the messages sent. */
    static final class Step {
        private final int to;
        private final int[] sent;
        private final List<Effect.Evidence> evidence;

        Step(int to, int[] sent, List<Effect.Evidence> evidence) {
            this.to = to;
            this.sent = sent;
            this.evidence = evidence;
        }

        int to() {
            return to;
        }

        int[] sent() {
            return sent;
        }

        List<Effect.Evidence> evidence() {
            return evidence;
        }

        boolean sameAs(Step other) {
            return to == other.to && Arrays.equals(sent, other.sent) && evidence.equals(other.evidence);
        }
    }

    private record Move(int from, Input input) {}

    /** @param path empty if states with equal digests are one */
    private record Identity(Bytes digest, int ticks, int crashes, int facts, List<Input> path) {}

    private final Supplier<Party> factory;
    private final Messages messages;
    private final PrincipalId self;
    private final boolean merging;
    private final Set<Integer> cutOff;
    private final List<Fact> told;
    private final List<Local> states = new ArrayList<>();
    private final Map<Identity, Integer> numbers = new HashMap<>();
    private final Map<Move, Step> steps = new HashMap<>();

    /**
     * Creates a party before its first step.
     *
     * @param merging whether states with equal digests are one; otherwise each path leads to a state of its own
     * @param cutOff the parties that its requests do not reach
     * @param told the facts that it receives
     */
    private Automaton(
            Supplier<Party> factory,
            Messages messages,
            PrincipalId self,
            boolean merging,
            Set<Integer> cutOff,
            List<Fact> told) {
        this.cutOff = cutOff;
        this.told = told;
        this.merging = merging;
        this.factory = factory;
        this.messages = messages;
        this.self = self;
        states.add(new Local(List.of(), Optional.empty(), false, false, 0, 0, 0, 1));
    }

    static Automaton of(TinyWorld world, TinyWorld.Node node, Messages messages, boolean merging) {
        return new Automaton(
                () -> new NodeParty(node, world.replicas(), world.tickMillis()),
                messages,
                node.id(),
                merging,
                Set.of(),
                node.told());
    }

    static Automaton of(TinyWorld world, int operation, Messages messages, boolean merging) {
        TinyWorld.Operation what = world.operations().get(operation);
        return new Automaton(
                () -> new OperationParty(operation, what.operation().get(), world.tickMillis()),
                messages,
                what.client(),
                merging,
                what.cutOff(),
                List.of());
    }

    Local state(int number) {
        return states.get(number);
    }

    int stateCount() {
        return states.size();
    }

    int stepCount() {
        return steps.size();
    }

    /** State 0 is before {@link Input.Kind#BEGIN}. */
    Step step(int from, Input input) {
        Move move = new Move(from, input);
        Step known = steps.get(move);
        if (known == null) {
            known = run(states.get(from), input);
            steps.put(move, known);
        }
        return known;
    }

    private Step run(Local from, Input input) {
        Party party = factory.get();
        for (Input earlier : from.path()) {
            apply(party, earlier, new MailCollector());
        }
        MailCollector post = new MailCollector();
        apply(party, input, post);
        int ticks = from.ticks() + (input.kind() == Input.Kind.TICK ? 1 : 0);
        int crashes = from.crashes() + (input.kind() == Input.Kind.CRASH ? 1 : 0);
        int facts = from.facts() + (input.kind() == Input.Kind.FACT ? 1 : 0);
        List<Input> path = new ArrayList<>(from.path());
        path.add(input);
        Identity identity = new Identity(
                StateDigest.of(party.state()), ticks, crashes, facts, merging ? List.of() : List.copyOf(path));
        Integer number = numbers.get(identity);
        if (number == null) {
            number = states.size();
            numbers.put(identity, number);
            states.add(new Local(
                    List.copyOf(path),
                    party.outcome(),
                    party.isFinished(),
                    party.isDiskBusy(),
                    ticks,
                    crashes,
                    facts,
                    party.choices()));
        }
        return new Step(number, post.sorted(), List.copyOf(post.evidence));
    }

    private void apply(Party party, Input input, Party.Mail mail) {
        party.choose(input.choice());
        switch (input.kind()) {
            case BEGIN -> party.begin(mail);
            case DELIVER -> {
                Envelope envelope = messages.envelope(input.message());
                party.deliver(envelope, envelope.message(messages.codec()), mail);
            }
            case TICK -> party.tick(mail);
            case CRASH -> party.crash(mail);
            case DISK -> party.disk(mail);
            case FACT -> party.tell(told.get(input.message()), mail);
        }
    }

    /** Collects the sent messages. A message to a party outside this world is lost. */
    private final class MailCollector implements Party.Mail {
        private final List<Integer> sent = new ArrayList<>();
        private final List<Effect.Evidence> evidence = new ArrayList<>();

        @Override
        public void request(PrincipalId to, long requestId, Message message) {
            messages.node(to)
                    .filter(party -> !cutOff.contains(party))
                    .ifPresent(party -> sent.add(messages.number(self, party, requestId, true, message)));
        }

        @Override
        public void answer(PrincipalId to, long requestId, Message message) {
            messages.asker(to, requestId)
                    .ifPresent(party -> sent.add(messages.number(self, party, requestId, false, message)));
        }

        @Override
        public void evidence(Effect.Evidence seen) {
            evidence.add(seen);
        }

        private int[] sorted() {
            int[] sorted = sent.stream().mapToInt(number -> number).distinct().toArray();
            Arrays.sort(sorted);
            return sorted;
        }
    }
}
