package io.bulwark.console.principal;

import io.bulwark.console.http.ApiException;
import io.bulwark.console.http.EntityTag;
import io.bulwark.console.job.Job;
import io.bulwark.console.job.Jobs;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Rights;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Pages of principals and grants. */
@Controller
@RequestMapping("/principals")
class PrincipalPages {
    private static final String DETAIL = "principal/principal :: detail";
    private static final String REVOKED = "principal/principal :: revoked";

    private final PrincipalDirectory directory;
    private final Jobs jobs;

    PrincipalPages(PrincipalDirectory directory, Jobs jobs) {
        this.directory = directory;
        this.jobs = jobs;
    }

    @GetMapping
    String list(@RequestParam(required = false) @Nullable String kind, Model model) {
        PrincipalList list = directory.list(kind);
        model.addAttribute("kind", kind == null ? "" : kind);
        model.addAttribute("list", list);
        return "principal/principals";
    }

    @PostMapping("/invitations")
    String invite(@RequestParam String principal, @RequestParam int hours, Model model) {
        model.addAttribute(
                "invitation",
                directory.invite(PrincipalDirectory.named("principal", principal), Duration.ofHours(hours)));
        return "principal/principals :: invited";
    }

    @PostMapping
    String add(@RequestParam String principal, @RequestParam String key) {
        PrincipalId id = PrincipalDirectory.named("principal", principal);
        directory.add(id, key);
        return "redirect:/principals/" + id;
    }

    @GetMapping("/{id}")
    String find(@PathVariable String id, Model model) {
        show(directory.find(PrincipalDirectory.named(null, id)), model);
        return "principal/principal";
    }

    @GetMapping("/{id}/detail")
    String detail(@PathVariable String id, Model model) {
        show(directory.find(PrincipalDirectory.named(null, id)), model);
        return DETAIL;
    }

    @PostMapping("/{id}/key")
    String rotate(
            @PathVariable String id,
            @RequestParam String key,
            @RequestParam(defaultValue = "false") boolean keepOld,
            @RequestParam String tag,
            Model model) {
        show(directory.rotate(PrincipalDirectory.named(null, id), key, keepOld, tag), model);
        return DETAIL;
    }

    @PostMapping("/{id}/grants")
    String grant(
            @PathVariable String id,
            @RequestParam String scope,
            @RequestParam(required = false) @Nullable String name,
            @RequestParam(required = false) @Nullable List<String> rights,
            @RequestParam String tag,
            Model model) {
        PrincipalId client = PrincipalDirectory.named(null, id);
        EntityTag.of(directory.find(client)).require(tag, id);
        directory.grant(client, GrantView.scope(scope, name), rightsOf(rights), null);
        show(directory.find(client), model);
        return DETAIL;
    }

    @PostMapping("/{id}/act-for")
    String actFor(
            @PathVariable String id,
            @RequestParam String person,
            @RequestParam(required = false) @Nullable List<String> rights,
            @RequestParam String tag,
            Model model) {
        PrincipalId acting = PrincipalDirectory.named(null, id);
        show(directory.setActFor(acting, PrincipalDirectory.named("person", person), rightsOf(rights), tag), model);
        return DETAIL;
    }

    @PostMapping("/{id}/lift")
    String lift(@PathVariable String id, @RequestParam String tag, Model model) {
        PrincipalId client = PrincipalDirectory.named(null, id);
        directory.lift(client, tag);
        show(directory.find(client), model);
        return DETAIL;
    }

    @GetMapping("/{id}/revocation")
    String preview(@PathVariable String id, Model model) {
        model.addAttribute("revocation", directory.preview(PrincipalDirectory.named(null, id)));
        return "principal/principal :: consequences";
    }

    @PostMapping("/{id}/revocation")
    String revoke(
            @PathVariable String id,
            @RequestParam String confirmation,
            @RequestParam(defaultValue = "60") long wait,
            @RequestParam String tag,
            Model model) {
        if (!confirmation.equals(id)) {
            throw ApiException.badField("confirmation", "to revoke " + id + ", type its name");
        }
        Job job = directory.revoke(PrincipalDirectory.named(null, id), Duration.ofSeconds(wait), tag);
        model.addAttribute("id", id);
        model.addAttribute("job", job.view());
        return REVOKED;
    }

    @GetMapping("/{id}/revocations/{job}")
    String revocation(@PathVariable String id, @PathVariable long job, Model model) {
        model.addAttribute("id", PrincipalDirectory.named(null, id).toString());
        model.addAttribute("job", jobs.find(job).view());
        return REVOKED;
    }

    private static Rights rightsOf(@Nullable List<String> rights) {
        return GrantView.rights(rights == null ? List.of() : rights);
    }

    private static void show(PrincipalDetail detail, Model model) {
        model.addAttribute("detail", detail);
        model.addAttribute("tag", EntityTag.of(detail).text());
        model.addAttribute("rights", GrantView.RIGHTS);
    }
}
