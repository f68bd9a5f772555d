#if Server
import Foundation
import HTTPTypes
import Hummingbird
import Varve

/// The routes of the application.
struct Routes {
  let store: Store

  func add(to group: RouterGroup<BasicRequestContext>) {
    group.add(middleware: StoreErrors())
    addGalaxies(to: group.group("galaxies"))
    addStars(to: group.group("stars"))
    addTags(to: group.group("tags"))
  }

  private func addGalaxies(to group: RouterGroup<BasicRequestContext>) {
    let whole = Galaxy.all.order(by: \.name).with(\.stars) { $0.order(by: \.name).with(\.tags) }
    group.get { request, _ in
      try await state(for: request).fetch(whole).map { GalaxyDocument($0) }
    }
    group.post { request, context in
      let body = try await request.decode(as: Naming.self, context: context)
      return GalaxyDocument(try await store.save(Galaxy(name: body.name)))
    }
    group.get(":id") { request, context in
      GalaxyDocument(try await state(for: request).require(try context.id(of: Galaxy.self)))
    }
    group.get(":id/stars") { request, context in
      let galaxy = try await state(for: request).find(try context.id(of: Galaxy.self), in: whole)
      guard let stars = galaxy?.stars.loaded else { throw HTTPError(.notFound) }
      return stars.map { StarDocument($0) }
    }
    group.delete(":id") { _, context in try await erase(try context.id(of: Galaxy.self)) }
    group.post(":id/restore") { _, context in
      try await store.restore(try context.id(of: Galaxy.self).entityID)
      return HTTPResponse.Status.ok
    }
  }

  private func addStars(to group: RouterGroup<BasicRequestContext>) {
    group.get { request, _ in
      let terms = request.uri.queryParameters
      var query = Star.all.order(by: \.name).with(\.tags)
      if let tag = terms["tag"] { query = query.where { $0.tags.exist { $0.name == String(tag) } } }
      if let galaxy = terms["galaxy"] {
        query = query.where { $0.galaxy.name == String(galaxy) }
      }
      let page = try await state(for: request).page(
        of: query,
        size: terms.get("size", as: Int.self) ?? 20,
        after: try terms["after"].map { try PageMark(String($0)) }
      )
      return StarPage(stars: page.models.map { StarDocument($0) }, next: page.next)
    }
    group.post { request, context in
      let body = try await request.decode(as: NewStar.self, context: context)
      let star = try await store.write { tx in
        let galaxy = try await tx.require(body.galaxy)
        return try await tx.save(Star(name: body.name, galaxy: galaxy.ref))
      }
      return StarDocument(star)
    }
    group.get(":id") { request, context in
      StarDocument(try await state(for: request).require(try context.id(of: Star.self)))
    }
    group.put(":id") { request, context in
      let body = try await request.decode(as: Naming.self, context: context)
      var star = try await store.require(try context.id(of: Star.self))
      star.name = body.name
      return StarDocument(try await store.save(star))
    }
    group.get(":id/names") { _, context in
      let star = try await store.require(try context.id(of: Star.self))
      return try await store.history(of: star, \.name).compactMap(\.value)
    }
    group.delete(":id") { _, context in try await erase(try context.id(of: Star.self)) }
    group.post(":id/tags/:tag") { _, context in
      let (star, tag) = (try context.id(of: Star.self), try context.id("tag", of: Tag.self))
      try await store.write { tx in
        _ = try await tx.require(tag)
        try await tx.add([tag], to: \.tags, of: star)
      }
      return HTTPResponse.Status.ok
    }
    group.delete(":id/tags/:tag") { _, context in
      let (star, tag) = (try context.id(of: Star.self), try context.id("tag", of: Tag.self))
      try await store.remove([tag], from: \.tags, of: star)
      return HTTPResponse.Status.noContent
    }
  }

  private func addTags(to group: RouterGroup<BasicRequestContext>) {
    group.get { request, _ in try await state(for: request).fetch(Tag.all.order(by: \.name)) }
    group.post { request, context in
      let body = try await request.decode(as: Naming.self, context: context)
      return try await store.save(Tag(name: body.name))
    }
    group.get(":id") { request, context in
      try await state(for: request).require(try context.id(of: Tag.self))
    }
    group.delete(":id") { _, context in try await erase(try context.id(of: Tag.self)) }
  }

  /// The state that `?at=2024-03-01T12:00:00Z` asks for; the present without it.
  private func state(for request: Request) throws -> any Reading {
    guard let text = request.uri.queryParameters["at"] else { return store }
    return try store.asOf(try Date(String(text), strategy: .iso8601))
  }

  private func erase<Model: Persistable>(
    _ id: Identifier<Model>
  ) async throws -> HTTPResponse.Status {
    try await store.erase(try await store.require(id))
    return .noContent
  }
}

extension BasicRequestContext {
  /// The identifier in a parameter of the path.
  fileprivate func id<Model>(
    _ name: String = "id",
    of type: Model.Type
  ) throws -> Identifier<Model> {
    Identifier(try EntityID(parameters.require(name)))
  }
}

/// Gives the errors of the store the statuses of HTTP.
struct StoreErrors<Context: RequestContext>: RouterMiddleware {
  @concurrent
  func handle(
    _ request: Request,
    context: Context,
    next: @concurrent (Request, Context) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let error as VarveError {
      let status: HTTPResponse.Status =
        switch error.code {
        case .notFound: .notFound
        case .validationFailed: .unprocessableContent
        default: .badRequest
        }
      throw HTTPError(status, message: error.message)
    }
  }
}
#endif
