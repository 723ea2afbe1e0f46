package io.bulwark.protocol.metadata;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * The parts that an object is made of: their numbers, and a digest over what they must be. Ten thousand part ids would
 * not fit into a command, whereas runs of numbers and a digest do.
 *
 * @param numbers ascending
 * @param digest SHA-256 over the number (4 bytes) and the id (8 bytes) of each part, in this order
 */
public record PartSelection(List<Integer> numbers, Bytes digest) {
    /** The highest number of a part, and the number of parts of an upload. */
    public static final int NUMBER_MAX = 10_000;

    /** A run of consecutive numbers is followed by a gap. */
    private static final int RUNS_MAX = NUMBER_MAX / 2;

    /** One part as its writer knows it. */
    public record Part(int number, long id) {}

    public PartSelection {
        numbers = List.copyOf(numbers);
        int last = 0;
        for (int number : numbers) {
            if (number <= last || number > NUMBER_MAX) {
                throw new IllegalArgumentException("part " + number + " behind part " + last);
            }
            last = number;
        }
        if (last == 0 || digest.length() != Hashes.LENGTH) {
            throw new IllegalArgumentException(numbers.size() + " parts, a digest of " + digest.length() + " bytes");
        }
    }

    /** Selects these parts, whose numbers must ascend. */
    public static PartSelection of(List<Part> parts) {
        return new PartSelection(parts.stream().map(Part::number).toList(), digest(parts));
    }

    static Bytes digest(List<Part> parts) {
        WireWriter out = new WireWriter(12 * parts.size() + 1);
        parts.forEach(part -> out.i32(part.number).i64(part.id));
        return Hashes.sha256(out.toBytes());
    }

    private record Run(int first, int last) {
        private void write(WireWriter out) {
            out.u16(first).u16(last);
        }

        private static Run read(WireReader in) {
            return new Run(in.u16(), in.u16());
        }
    }

    void write(WireWriter out) {
        List<Run> runs = new ArrayList<>();
        for (int number : numbers) {
            if (!runs.isEmpty() && runs.getLast().last == number - 1) {
                runs.add(new Run(runs.removeLast().first, number));
            } else {
                runs.add(new Run(number, number));
            }
        }
        Lists.write(runs, out, Run::write);
        out.raw(digest);
    }

    static PartSelection read(WireReader in) {
        List<Integer> numbers = new ArrayList<>();
        int last = -1;
        for (Run run : Lists.read(in, RUNS_MAX, Run::read)) {
            // Neighbouring runs would be one.
            if (run.first <= last + 1 || run.last < run.first || run.last > NUMBER_MAX) {
                throw new MalformedException("parts " + run.first + " to " + run.last + " behind part " + last);
            }
            for (int number = run.first; number <= run.last; number++) {
                numbers.add(number);
            }
            last = run.last;
        }
        try {
            return new PartSelection(numbers, in.raw(Hashes.LENGTH));
        } catch (IllegalArgumentException e) {
            throw new MalformedException(e);
        }
    }
}
