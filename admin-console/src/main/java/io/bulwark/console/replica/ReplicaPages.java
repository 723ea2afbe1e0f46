package io.bulwark.console.replica;

import io.bulwark.console.http.ApiException;
import io.bulwark.console.job.Job;
import io.bulwark.console.live.ChangeLog;
import io.bulwark.console.replica.ReplicaChanges.Newcomer;
import io.bulwark.protocol.id.PrincipalId;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** {@code /replicas}: the list, a replica, and the forms that change them. */
@Controller
class ReplicaPages {
    private static final String NOTICE = "node/dialogs :: done";

    private final ReplicaInventory inventory;
    private final ReplicaChanges changes;
    private final ChangeLog log;

    ReplicaPages(ReplicaInventory inventory, ReplicaChanges changes, ChangeLog log) {
        this.log = log;
        this.inventory = inventory;
        this.changes = changes;
    }

    @GetMapping("/replicas")
    String list(Model model) {
        fill(model);
        return "replica/replicas";
    }

    @GetMapping("/replicas/part")
    String listPart(Model model) {
        fill(model);
        return "replica/replicas :: part";
    }

    @GetMapping("/replicas/{replica}")
    String page(@PathVariable String replica, Model model) {
        fill(replica, model);
        return "replica/replica";
    }

    @GetMapping("/replicas/{replica}/part")
    String part(@PathVariable String replica, Model model) {
        fill(replica, model);
        return "replica/replica :: part";
    }

    /** Shows the consequences of a replacement in a dialog. */
    @GetMapping("/replicas/{replica}/replacement")
    String replacement(@PathVariable String replica, Model model) {
        fill(replica, model);
        return "replica/dialogs :: replacement";
    }

    @GetMapping("/replicas/addition")
    String addition(Model model) {
        fill(model);
        return "replica/dialogs :: addition";
    }

    @GetMapping("/replicas/removal")
    String removal(Model model) {
        fill(model);
        return "replica/dialogs :: removal";
    }

    @PostMapping("/replicas/{replica}/replace")
    String replace(
            @PathVariable String replica,
            @RequestParam String fresh,
            @RequestParam String key,
            @RequestParam String address,
            @RequestParam String version,
            @RequestParam(defaultValue = "") String name,
            HttpServletResponse response,
            Model model) {
        PrincipalId old = ReplicaChanges.replica("replica", replica);
        if (!name.strip().equals(old.toString())) {
            throw ApiException.badField("name", "type " + old + " to confirm");
        }
        Job job = changes.replace(old, new Newcomer(fresh, key, address), ReplicaApi.configuration(version));
        return redirect(job, response, model);
    }

    @PostMapping("/replicas/add")
    String add(
            @RequestParam List<String> fresh,
            @RequestParam List<String> key,
            @RequestParam List<String> address,
            @RequestParam String version,
            HttpServletResponse response,
            Model model) {
        if (fresh.size() != ReplicaChanges.STEP
                || key.size() != ReplicaChanges.STEP
                || address.size() != ReplicaChanges.STEP) {
            throw ApiException.badField("replicas", "three replicas are added at once");
        }
        List<Newcomer> coming = new ArrayList<>();
        for (int i = 0; i < ReplicaChanges.STEP; i++) {
            coming.add(new Newcomer(fresh.get(i), key.get(i), address.get(i)));
        }
        return redirect(changes.add(coming, ReplicaApi.configuration(version)), response, model);
    }

    @PostMapping("/replicas/remove")
    String remove(
            @RequestParam(required = false) @Nullable List<String> replica,
            @RequestParam String version,
            @RequestParam(defaultValue = "") String name,
            HttpServletResponse response,
            Model model) {
        if (!name.strip().equals("remove three replicas")) {
            throw ApiException.badField("name", "type the words to confirm");
        }
        List<PrincipalId> leaving = (replica == null ? List.<String>of() : replica)
                .stream().map(text -> ReplicaChanges.replica("replica", text)).toList();
        return redirect(changes.remove(leaving, ReplicaApi.configuration(version)), response, model);
    }

    @PostMapping("/replicas/{replica}/recover")
    String recover(@PathVariable String replica, HttpServletRequest request, Model model) {
        model.addAttribute(
                "message", changes.recover(ReplicaChanges.replica("replica", replica), request.getRemoteAddr()));
        return NOTICE;
    }

    private void fill(Model model) {
        model.addAttribute("view", inventory.recent());
        model.addAttribute("outage", inventory.outage().orElse(null));
    }

    private void fill(String replica, Model model) {
        ReplicaInventory.Inventory view = inventory.recent();
        model.addAttribute("view", view);
        model.addAttribute("outage", inventory.outage().orElse(null));
        PrincipalId named = ReplicaChanges.replica("replica", replica);
        model.addAttribute("replica", view.replica(named.number()));
        model.addAttribute("changes", log.about(named.toString()));
        model.addAttribute("canRecover", changes.canRecover());
    }

    private static String redirect(Job job, HttpServletResponse response, Model model) {
        response.setHeader("HX-Redirect", "/jobs/" + job.id());
        model.addAttribute("message", "Started.");
        return NOTICE;
    }
}
